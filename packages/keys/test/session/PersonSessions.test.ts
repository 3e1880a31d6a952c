import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option, Redacted, Ref, Schema } from "effect"
import { TestClock } from "effect/testing"
import { randomBytes } from "node:crypto"
import { Authenticator } from "../../src/Authenticator.ts"
import { KeyConfig } from "../../src/KeyConfig.ts"
import { KeyStoreError, StoreFailed } from "../../src/KeyError.ts"
import { KeyIssuer } from "../../src/KeyIssuer.ts"
import { KeyStore } from "../../src/KeyStore.ts"
import * as Person from "../../src/Person.ts"
import { type Identified, IdentityProvider, NotVouched } from "../../src/session/IdentityProvider.ts"
import { layerMemory as layerMemorySessions } from "../../src/session/Memory.ts"
import * as SealedTokens from "../../src/session/SealedTokens.ts"
import * as SessionId from "../../src/session/SessionId.ts"
import { Sessions } from "../../src/session/Sessions.ts"
import { SessionStore } from "../../src/session/SessionStore.ts"
import { layerCached } from "../../src/store/Cached.ts"
import { layerMemory } from "../../src/store/Memory.ts"
import { admin, hashOf, record, viewer } from "../samples.ts"

const RULES = [
  { group: "platform", rule: admin },
  { group: "readers", rule: viewer }
]

const identified = (groups: ReadonlyArray<string>, tokens = "first"): Identified => ({
  person: { subject: "248289761001", name: "Ada Lovelace", groups },
  tokens: Redacted.make(tokens)
})

/** A provider whose next answer the test sets. */
const scripted = Effect.gen(function* () {
  const answer = yield* Ref.make<Effect.Effect<Identified, NotVouched>>(
    new NotVouched({ problem: "the provider was not to be asked" })
  )
  const asked = yield* Ref.make<ReadonlyArray<string>>([])
  const readAgain = ({ tokens }: Identified) =>
    Ref.update(asked, (before) => [...before, Redacted.value(tokens)]).pipe(
      Effect.andThen(Ref.get(answer)),
      Effect.flatten
    )
  return { answer, asked, provider: IdentityProvider.of({ readAgain }) }
})

const run = <A, E>(
  body: (
    provider: Effect.Success<typeof scripted>
  ) => Effect.Effect<A, E, Authenticator | IdentityProvider | KeyIssuer | KeyStore | SessionStore | Sessions>
) =>
  Effect.gen(function* () {
    const source = yield* scripted
    return yield* body(source).pipe(
      Effect.provide(
        Layer.merge(Sessions.layer, KeyIssuer.layer).pipe(
          Layer.provideMerge(Authenticator.layer),
          Layer.provideMerge(Layer.merge(layerMemorySessions, Layer.succeed(IdentityProvider, source.provider))),
          Layer.provideMerge(layerCached.pipe(Layer.provideMerge(layerMemory), Layer.merge(KeyConfig.layerNone))),
          Layer.provideMerge(Layer.succeed(Person.GroupRules, RULES))
        )
      )
    )
  })

const signIn = (groups: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const opened = yield* (yield* Sessions).openFor(identified(groups))
    return Option.isSome(opened) ? opened.value.id : assert.fail("nobody was signed in")
  })

const judged = (id: SessionId.SessionId) =>
  Effect.gen(function* () {
    const verdict = yield* (yield* Sessions).authenticate(id)
    return verdict._tag === "Valid" ? verdict.principal.rule.role : verdict.detail
  })

describe("the session of a person", () => {
  it.effect("has the rule of the first entry whose group is theirs, under the person's own id", () =>
    run(() =>
      Effect.gen(function* () {
        const id = yield* signIn(["readers", "platform"])
        const verdict = yield* (yield* Sessions).authenticate(id)
        const principal = verdict._tag === "Valid" ? verdict.principal : assert.fail(verdict.detail)
        assert.deepInclude(principal, { keyId: "oidc:248289761001", name: "Ada Lovelace", rule: admin })
        const shown = yield* (yield* KeyIssuer).whoami(principal)
        assert.deepInclude(shown, { id: "oidc:248289761001", status: "active", source: "configured", rule: admin })
      })
    )
  )

  it.effect("is not opened for a person whose groups have no rule", () =>
    run(() =>
      Effect.gen(function* () {
        assert.isTrue(Option.isNone(yield* (yield* Sessions).openFor(identified(["sales"]))))
      })
    )
  )

  it.effect("goes on with its newest claims and tokens while the store keeps none, as on a full disk", () =>
    run(({ answer, asked, provider }) =>
      Effect.gen(function* () {
        const id = yield* signIn(["platform"])
        const cause = new Error("the disk is full")
        const refused = new KeyStoreError({ reason: new StoreFailed({ operation: "replaceSessionOwner", cause }) })
        const full = Layer.effect(
          SessionStore,
          Effect.map(SessionStore, (store) => ({ ...store, replaceOwner: () => Effect.fail(refused) }))
        )
        const stores = Layer.merge(full, Layer.succeed(IdentityProvider, provider))
        yield* Ref.set(answer, Effect.succeed(identified(["readers"], "second")))
        yield* Effect.gen(function* () {
          yield* TestClock.adjust("5 minutes")
          assert.strictEqual(yield* judged(id), "Viewer")
          yield* TestClock.adjust("4 minutes")
          assert.strictEqual(yield* judged(id), "Viewer")
          assert.deepStrictEqual(yield* Ref.get(asked), ["first"])
          yield* TestClock.adjust("1 minutes")
          assert.strictEqual(yield* judged(id), "Viewer")
          assert.deepStrictEqual(yield* Ref.get(asked), ["first", "second"])
        }).pipe(Effect.provide(Layer.fresh(Sessions.layer).pipe(Layer.provide(stores))))
      })
    )
  )

  it.effect("asks the provider again after five minutes, with the tokens that it gave last", () =>
    run(({ answer, asked }) =>
      Effect.gen(function* () {
        const id = yield* signIn(["platform"])
        yield* TestClock.adjust("299999 millis")
        assert.strictEqual(yield* judged(id), "Admin")
        assert.deepStrictEqual(yield* Ref.get(asked), [])
        yield* Ref.set(answer, Effect.succeed(identified(["readers"], "second")))
        yield* TestClock.adjust("1 millis")
        assert.strictEqual(yield* judged(id), "Viewer")
        yield* TestClock.adjust("5 minutes")
        yield* judged(id)
        assert.deepStrictEqual(yield* Ref.get(asked), ["first", "second"])
      })
    )
  )

  it.effect("ends when the provider does not vouch for the person, and stays ended", () =>
    run(({ answer }) =>
      Effect.gen(function* () {
        const id = yield* signIn(["platform"])
        yield* Ref.set(answer, new NotVouched({ problem: "the provider refused: invalid_grant" }))
        yield* TestClock.adjust("5 minutes")
        assert.strictEqual(yield* judged(id), "the session has ended: the provider refused: invalid_grant")
        yield* Ref.set(answer, Effect.succeed(identified(["platform"])))
        assert.strictEqual(yield* judged(id), "the session has ended: it was signed out")
      })
    )
  )

  it.effect("ends when the person has left every group that has a rule", () =>
    run(({ answer }) =>
      Effect.gen(function* () {
        const id = yield* signIn(["platform"])
        yield* Ref.set(answer, Effect.succeed(identified(["sales"])))
        yield* TestClock.adjust("5 minutes")
        assert.strictEqual(yield* judged(id), "the session has ended: no group of the person has a rule here")
      })
    )
  )

  it.effect("asks the provider once for all requests that wait, and goes on when one is given up", () =>
    run(({ answer, asked }) =>
      Effect.gen(function* () {
        const id = yield* signIn(["platform"])
        const gate = yield* Deferred.make<void>()
        yield* Ref.set(answer, Effect.as(Deferred.await(gate), identified(["readers"], "second")))
        yield* TestClock.adjust("5 minutes")
        const waiting = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(judged(id)))
        yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => Effect.map(Ref.get(asked), (all) => all.length > 0) }))
        yield* Fiber.interrupt(waiting[0] ?? assert.fail())
        yield* Deferred.succeed(gate, undefined)
        assert.deepStrictEqual(yield* Effect.forEach(waiting.slice(1), Fiber.join), ["Viewer", "Viewer"])
        assert.strictEqual(yield* judged(id), "Viewer")
        assert.deepStrictEqual(yield* Ref.get(asked), ["first"])
      })
    )
  )

  it.effect("takes all of the person's with it when it is signed out everywhere, and none of another", () =>
    run(() =>
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const [one, other] = [yield* signIn(["platform"]), yield* signIn(["readers"])]
        const grace = { ...identified(["platform"]), person: { subject: "2", name: "Grace", groups: ["platform"] } }
        const opened = yield* sessions.openFor(grace)
        yield* sessions.endAll(one)
        assert.strictEqual(yield* judged(other), "the session has ended: it was signed out")
        assert.strictEqual(Option.isSome(opened) ? yield* judged(opened.value.id) : "", "Admin")
      })
    )
  )

  it.effect("is no key that could be revoked, and an Admin group keeps the last Admin key from being one", () =>
    run(() =>
      Effect.gen(function* () {
        const issuer = yield* KeyIssuer
        yield* (yield* KeyStore).insert(record({ id: "key_1", hash: hashOf("a"), rule: admin }))
        const verdict = yield* (yield* Sessions).authenticate(yield* signIn(["platform"]))
        const principal = verdict._tag === "Valid" ? verdict.principal : assert.fail(verdict.detail)
        const refused = yield* Effect.flip(issuer.revoke(principal, principal.keyId))
        assert.strictEqual(refused.reason._tag, "KeyConfigured")
        assert.strictEqual((yield* issuer.revoke(principal, "key_1")).revokedBy, "oidc:248289761001")
      })
    )
  )
})

describe("the tokens of a session", () => {
  it.prop("open with the id that sealed them, and with no other", [Schema.Json], ([tokens]) => {
    const text = JSON.stringify(tokens)
    const [id, other] = [SessionId.generate(randomBytes), SessionId.generate(randomBytes)]
    const sealed = SealedTokens.seal(id, Redacted.make(text))
    assert.deepStrictEqual(Option.map(SealedTokens.open(id, sealed), Redacted.value), Option.some(text))
    assert.isTrue(Option.isNone(SealedTokens.open(other, sealed)))
    assert.isTrue(Option.isNone(SealedTokens.open(id, sealed.slice(0, -2))))
  })

  it("are none where nothing was sealed", () => {
    assert.isTrue(Option.isNone(SealedTokens.open(SessionId.generate(randomBytes), "")))
  })
})
