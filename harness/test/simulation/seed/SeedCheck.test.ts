/** Seeds that cannot be, and clusters that cannot take one. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import * as Embedded from "../../../src/drivers/embedded/Embedded.ts"
import { Fleet } from "../../../src/fleet/Fleet.ts"
import * as Seed from "../../../src/simulation/seed/Seed.ts"
import { check } from "../../../src/simulation/seed/SeedCheck.ts"

const GOOD = { seed: 1, size: "small", pods: "reported", concurrency: 16 }
const WHOLE = "a whole number from 1 to 1,000,000"
const SIZES = '"tiny", "small", "medium", "large", or numbers { pods, workloads, nodes }'

describe("Seed", () => {
  it.effect("refuses options that no seed can have, with the field, what may stand there and what does", () =>
    Effect.gen(function* () {
      const cases: ReadonlyArray<readonly [Readonly<Record<string, unknown>>, string]> = [
        [{ size: { pods: -4 } }, `a seed's size.pods must be ${WHOLE}, not -4`],
        [{ size: { pods: 0 } }, `a seed's size.pods must be ${WHOLE}, not 0`],
        [{ size: { workloads: 2.5 } }, `a seed's size.workloads must be ${WHOLE}, not 2.5`],
        [{ size: { nodes: Number.NaN } }, `a seed's size.nodes must be ${WHOLE}, not NaN`],
        [{ size: { pods: "5" } }, `a seed's size.pods must be ${WHOLE}, not "5"`],
        [{ size: { pods: 2_000_000 } }, `a seed's size.pods must be ${WHOLE}, not 2000000`],
        [{ size: { podz: 5 } }, "a seed's size.podz must be one of size.pods, size.workloads, size.nodes, not 5"],
        [{ size: "huge" }, `a seed's size must be ${SIZES}, not "huge"`],
        [{ size: "toString" }, `a seed's size must be ${SIZES}, not "toString"`],
        [{ size: null }, `a seed's size must be ${SIZES}, not null`],
        [{ pods: "all" }, `a seed's pods must be "reported", "bound", "none", not "all"`],
        [{ seed: Number.POSITIVE_INFINITY }, "a seed's seed must be a finite number, not Infinity"],
        [{ concurrency: 0 }, `a seed's concurrency must be ${WHOLE}, not 0`]
      ]
      for (const [given, message] of cases) {
        const error = yield* Effect.flip(check("eu", { ...GOOD, ...given }))
        assert.strictEqual(error.message, `cluster eu: ${message}`)
      }
      for (const size of ["tiny", "large", {}, { pods: 1 }, { pods: 5, workloads: undefined }]) {
        yield* check("eu", { ...GOOD, size })
      }
    })
  )

  it.effect("leaves a cluster as it is when it refuses", () =>
    Effect.gen(function* () {
      const fleet = yield* Fleet.make({ driver: Embedded.driver, parent: "hub" })
      const before = yield* fleet.parent.api.list({ apiVersion: "v1", kind: "Namespace" })
      const error = yield* Effect.flip(Seed.fill(fleet, { size: { pods: -4 } }))
      assert.strictEqual(error.message, `cluster hub: a seed's size.pods must be ${WHOLE}, not -4`)
      const planned = yield* Effect.exit(Seed.plan({ seed: 1, cluster: "hub", index: 0, size: { nodes: 0.5 } }))
      assert.isTrue(Exit.hasDies(planned))
      assert.deepStrictEqual(yield* fleet.parent.api.list({ apiVersion: "v1", kind: "Namespace" }), before)
    })
  )

  it.effect("says which namespace is there already and what to do, and fills the cluster after that", () =>
    Effect.gen(function* () {
      const fleet = yield* Fleet.make({ driver: Embedded.driver, parent: "hub" })
      const plan = yield* Seed.plan({ seed: 1, cluster: "hub", index: 0, size: "tiny" })
      const [namespace] = plan.namespaces
      const name = namespace?.name ?? ""
      yield* fleet.parent.api.create({ apiVersion: "v1", kind: "Namespace", metadata: { name } })
      const error = yield* Effect.flip(Seed.fill(fleet, { size: "tiny" }))
      assert.strictEqual(error.reason._tag, "SeedConflict")
      assert.include(error.message, `cluster hub: namespaces "${name}" already exists: a seed creates its own`)
      assert.include(error.message, "reset it first (reset or restartEmpty)")

      yield* fleet.reset
      assert.deepStrictEqual(yield* Seed.fill(fleet, { size: "tiny" }), [plan])
    })
  )
})
