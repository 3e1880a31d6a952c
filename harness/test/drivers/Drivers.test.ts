import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { type ClusterDriver, found, missing } from "../../src/drivers/ClusterDriver.ts"
import * as Drivers from "../../src/drivers/Drivers.ts"
import * as ControlPlane from "../../src/drivers/control-plane/ControlPlane.ts"
import { closingLine } from "../../src/vitest/LeftOutDrivers.ts"

const here: ClusterDriver = { ...ControlPlane.driver, name: "here", available: Effect.succeed(found("always")) }
const absent: ClusterDriver = {
  ...ControlPlane.driver,
  name: "absent",
  available: Effect.succeed(missing("install it"))
}
const namesOf = (drivers: ReadonlyArray<ClusterDriver>) => drivers.map(({ name }) => name)

describe("Drivers", () => {
  it.effect("without a list runs what is found, and says what would bring the rest", () =>
    Effect.gen(function* () {
      for (const list of [undefined, "", " , "]) {
        const { run, leftOut } = yield* Drivers.select(list, [here, absent])
        assert.deepStrictEqual(namesOf(run), ["here"])
        assert.deepStrictEqual(leftOut, [{ driver: "absent", remedy: "install it" }])
      }
    })
  )

  it.effect("a listed driver runs even if it is missing, so that its tests fail", () =>
    Effect.gen(function* () {
      const { run, leftOut } = yield* Drivers.select(" absent ", [here, absent])
      assert.deepStrictEqual(namesOf(run), ["absent"])
      assert.isEmpty(leftOut)
    })
  )

  it.effect("a driver that is not listed is left out without a word", () =>
    Effect.gen(function* () {
      const { run, leftOut } = yield* Drivers.select("here", [here, absent])
      assert.deepStrictEqual(namesOf(run), ["here"])
      assert.isEmpty(leftOut)
    })
  )

  it.effect("a listed name that no driver has is refused, with the names that exist", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Drivers.select("here,control-plain", [here, absent]))
      assert.strictEqual(
        error.message,
        "QUARTERDECK_DRIVERS names the unknown driver control-plain; drivers: here, absent"
      )
    })
  )

  it.effect("reads the list from the environment", () =>
    Effect.gen(function* () {
      const { run } = yield* Drivers.selected
      assert.deepStrictEqual(namesOf(run), ["embedded"])
    }).pipe(
      Effect.provideService(
        ConfigProvider.ConfigProvider,
        ConfigProvider.fromUnknown({ QUARTERDECK_DRIVERS: "embedded" })
      )
    )
  )

  it("the closing line names every driver that was left out, and is absent when none was", () => {
    assert.isUndefined(closingLine([]))
    assert.strictEqual(
      closingLine([
        { driver: "a", remedy: "build it" },
        { driver: "b", remedy: "install it" }
      ]),
      "drivers left out: a (build it); b (install it)"
    )
  })
})
