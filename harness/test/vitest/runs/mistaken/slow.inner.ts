import { Embedded } from "@quarterdeck/harness"
import { fleetTest } from "@quarterdeck/harness/vitest/FleetTest"
import { Deferred, Effect } from "effect"
import { test as plain } from "vitest"

const enough = Deferred.makeUnsafe<void>()
let starts = 0

const test = fleetTest({
  driver: {
    ...Embedded.driver,
    start: (options) =>
      Effect.suspend(() => {
        starts++
        return Effect.andThen(Deferred.await(enough), Embedded.driver.start(options))
      })
  },
  parent: "hub",
  per: "file"
})

test("has less time than its fleet needs to start", { timeout: 400 }, ({ expect, fleet }) => {
  expect(fleet.clusters).toHaveLength(1)
})

plain("meanwhile the cluster gets what it waits for", ({ expect }) => {
  expect(Deferred.doneUnsafe(enough, Effect.void)).toBe(true)
})

test("has the fleet that the first test did not wait for", ({ expect, fleet }) => {
  expect(fleet.clusters).toHaveLength(1)
  expect(starts).toBe(1)
})
