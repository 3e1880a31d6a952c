/** The bench of resets looks at what the clusters hold afterwards. */
import { assert, describe, it } from "@effect/vitest"
import { type ApiError, Embedded, Fleet, type HarnessError, Seed } from "@quarterdeck/harness"
import { Effect } from "effect"
import * as PodsMissing from "../../src/harness/podsMissing.ts"
import { measure } from "../../src/harness/resets.ts"

const once = { warm: 0, times: 1 }

describe("a reset", () => {
  it.live("that takes everything back leaves nothing different", () =>
    Effect.gen(function* () {
      const { difference } = yield* measure(Embedded.driver, once, {
        ours: (fleet: Fleet["Service"]) => Effect.succeed(fleet.reset),
        peer: (fleet: Fleet["Service"]) => Effect.succeed(fleet.reset)
      })
      assert.strictEqual(difference, 0)
    })
  )

  it.live("that leaves an object behind, or does nothing, is found out on either side", () =>
    Effect.gen(function* () {
      const whole = (fleet: Fleet["Service"]) => Effect.succeed(fleet.reset)
      const leaving = (fleet: Fleet["Service"]) =>
        Effect.succeed(
          Effect.andThen(
            fleet.reset,
            fleet.parent.api.create({
              apiVersion: "v1",
              kind: "ConfigMap",
              metadata: { name: "left", namespace: "default" }
            })
          )
        )
      type Failure = HarnessError.HarnessError | ApiError.ApiError
      const left = yield* measure<Failure>(Embedded.driver, once, { ours: leaving, peer: whole })
      assert.strictEqual(left.difference, 1)
      const nothing = yield* measure(Embedded.driver, once, { ours: whole, peer: () => Effect.succeed(Effect.void) })
      assert.isAbove(nothing.difference, 100)
    })
  )
})

describe("seeded pods", () => {
  it.live("that are others than were asked for are no figure", () =>
    Effect.gen(function* () {
      const fleet = yield* Fleet.make({ driver: Embedded.driver, parent: "hub" })
      yield* Seed.fill(fleet, { size: { pods: 7 } })
      const { items } = yield* fleet.parent.api.list({ apiVersion: "v1", kind: "Pod" })
      yield* PodsMissing.check({ asked: 7, found: items.length })
      const error = yield* Effect.flip(PodsMissing.check({ asked: 8, found: items.length }))
      assert.strictEqual(error.message, "the seed was asked for 8 pods, and there are 7")
    }).pipe(Effect.scoped)
  )
})
