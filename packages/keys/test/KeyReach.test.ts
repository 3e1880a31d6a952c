import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result, Schema } from "effect"
import { Authenticator } from "../src/Authenticator.ts"
import { KeyConfig } from "../src/KeyConfig.ts"
import { KeyIssuer } from "../src/KeyIssuer.ts"
import type { RawKey } from "../src/RawKey.ts"
import type * as Rule from "../src/Rule.ts"
import { layerCached } from "../src/store/Cached.ts"
import { layerMemory } from "../src/store/Memory.ts"
import { callerWith } from "./caller.ts"
import { beyond } from "./reach.ts"
import { admin, SmallRule, toRule } from "./samples.ts"

const layers = Layer.merge(KeyIssuer.layer, Authenticator.layer).pipe(
  Layer.provideMerge(layerCached.pipe(Layer.provide(layerMemory), Layer.merge(KeyConfig.layerNone)))
)
const root = callerWith(admin, "key_root")

/** Returns the principal that a key authenticates now. */
const holderOf = Effect.fnUntraced(function* (key: RawKey) {
  const verdict = yield* (yield* Authenticator).authenticate(key, "look")
  return verdict._tag === "Refused" ? yield* Effect.die(verdict.code) : verdict.principal
})
const ruleOf = (key: RawKey) => Effect.map(holderOf(key), ({ rule }) => rule)

/** Mostly Admins, since other roles cannot create keys. */
const Maker = Schema.Struct({ ...SmallRule.fields, role: Schema.Literals(["Admin", "Admin", "Operator"]) })
const Changes = Schema.Array(Schema.Tuple([SmallRule, SmallRule])).check(Schema.isMaxLength(4))

describe("what a key reaches", () => {
  it.effect.prop(
    "is within its maker's rule, and within that of every Admin who narrowed it since; rotated, it is the same",
    [Maker, SmallRule, Changes],
    ([asking, asked, changes]) =>
      Effect.gen(function* () {
        const issuer = yield* KeyIssuer
        const maker = callerWith(toRule(asking), "key_maker")
        const made = yield* Effect.result(issuer.create(maker, { name: "ci", rule: toRule(asked) }))
        if (Result.isFailure(made)) return
        const { apiKey, key } = made.success
        assert.deepStrictEqual(beyond(yield* ruleOf(key), maker.rule), [])
        for (const [who, what] of changes) {
          const before = yield* ruleOf(key)
          const caller = callerWith(toRule(who), "key_other")
          const change = yield* Effect.result(issuer.update(caller, apiKey.id, { rule: toRule(what) }))
          const after = yield* ruleOf(key)
          assert.deepStrictEqual(beyond(after, before), [])
          if (Result.isSuccess(change)) assert.deepStrictEqual(beyond(after, caller.rule), [])
        }
        const rotated = yield* issuer.rotate(root, apiKey.id)
        assert.deepStrictEqual(yield* ruleOf(rotated.key), rotated.apiKey.rule)
        assert.deepStrictEqual(beyond(rotated.apiKey.rule, maker.rule), [])
      }).pipe(Effect.provide(Layer.fresh(layers))),
    { arbitrary: { runs: 500 } }
  )
})

const Step = Schema.Struct({ call: Schema.Literals(["create", "update", "rotate"]), rule: SmallRule })

describe("keys made by keys", () => {
  it.effect.prop(
    "reach nothing that the first maker does not, whatever each of them makes, changes and rotates",
    [SmallRule, Schema.Array(Step).check(Schema.isMaxLength(6))],
    ([first, steps]) =>
      Effect.gen(function* () {
        const issuer = yield* KeyIssuer
        const outer: Rule.Rule = { ...toRule(first), role: "Admin" }
        let made = yield* issuer.create(root, { name: "first", rule: outer })
        let holder = yield* holderOf(made.key)
        for (const { call, rule: drawn } of steps) {
          // Half of the rules are reduced to the maker's rule, so that some calls succeed.
          const asked = toRule(drawn)
          const inside: Rule.Rule = { ...holder.rule, ...asked, role: asked.role }
          for (const wanted of [asked, inside]) {
            const next =
              call === "create"
                ? issuer.create(holder, { name: "next", rule: wanted })
                : call === "rotate"
                  ? issuer.rotate(holder, holder.keyId)
                  : Effect.map(issuer.update(holder, holder.keyId, { rule: wanted, force: true }), (apiKey) => ({
                      key: made.key,
                      apiKey
                    }))
            const result = yield* Effect.result(next)
            if (result._tag === "Failure") continue
            made = result.success
            holder = yield* holderOf(made.key)
            assert.deepStrictEqual(beyond(holder.rule, outer), [])
          }
        }
      }).pipe(Effect.provide(Layer.fresh(layers)))
  )
})
