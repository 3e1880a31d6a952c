import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { areWhole, GIFTS, untilWhole } from "../../src/controllers/WholeNamespaces.ts"

const NAMES = ["default", "shop", "web"] as const
const Places = Schema.Array(Schema.Tuple([Schema.Literals(NAMES), Schema.Literals(["configmaps", "serviceaccounts"])]))

const given = (namespaces: ReadonlyArray<string>, places: typeof Places.Type) => ({
  namespaces,
  has: ({ plural }: (typeof GIFTS)[number], namespace: string) =>
    places.some(([home, kind]) => home === namespace && kind === plural)
})

describe("default objects of namespaces", () => {
  it.prop(
    "are complete if each namespace has each object",
    [Schema.Array(Schema.Literals(NAMES)), Places],
    ([namespaces, places]) => {
      const missing = namespaces.flatMap((namespace) =>
        GIFTS.filter(({ plural }) => !places.some(([home, kind]) => home === namespace && kind === plural))
      )
      assert.strictEqual(areWhole(given(namespaces, places)), missing.length === 0)
    }
  )

  it("are complete if no default object is expected", () => {
    assert.isTrue(areWhole(given(["default", "shop"], []), []))
    const accounts = GIFTS.filter(({ plural }) => plural === "serviceaccounts")
    const places = [
      ["default", "serviceaccounts"],
      ["shop", "serviceaccounts"]
    ] as const
    assert.isTrue(areWhole(given(["default", "shop"], places), accounts))
    assert.isFalse(areWhole(given(["default", "shop", "web"], places), accounts))
  })

  it.effect("are polled until they are complete", () =>
    Effect.gen(function* () {
      let looks = 0
      yield* untilWhole(Effect.sync(() => ++looks === 3))
      assert.strictEqual(looks, 3)
    })
  )

  it.effect("are not waited for if the look-up fails", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* Effect.flip(untilWhole(Effect.fail("refused"))), "refused")
    })
  )
})
