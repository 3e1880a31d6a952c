/**
 * A large seed over three control planes, and how long its pods take to run.
 */
import { ControlPlane, eventually, FakeKubelet, Fleet, Seed } from "@quarterdeck/harness"
import { Console, Effect } from "effect"
import type { Claim } from "../Claim.ts"
import { timed } from "../Measure.ts"
import type { Extent } from "../Suite.ts"

const CLUSTERS = 3
const PODS = 5_000
const QUICK_PODS = 600
const GOAL_MS = 20_000
const RUNNING_WITHIN = "5 minutes"

/** How many pods run, in all clusters. */
const running = (fleet: Fleet["Service"]) =>
  Effect.map(
    Effect.forEach(fleet.clusters, ({ api }) =>
      api.list({ apiVersion: "v1", kind: "Pod", fieldSelector: "status.phase=Running" })
    ),
    (lists) => lists.reduce((sum, { items }) => sum + items.length, 0)
  )

export const seeds = Effect.fnUntraced(function* ({ quick }: Extent) {
  const pods = quick ? QUICK_PODS : PODS
  return yield* Effect.scoped(
    Effect.gen(function* () {
      yield* Console.error(`${pods} pods with their nodes over three control planes`)
      const fleet = yield* Fleet.make({ driver: ControlPlane.driver, parent: "hub", children: ["prod", "stage"] })
      const size = { pods: Math.ceil(pods / CLUSTERS) }
      const [seedMs, plans] = yield* timed(Seed.fill(fleet, { size, pods: "bound" }))
      const planned = plans.flatMap(({ workloads }) => workloads.flatMap((workload) => workload.pods))
      const wanted = planned.filter(({ state }) => state === "running").length
      const [runMs] = yield* timed(
        Effect.gen(function* () {
          yield* FakeKubelet.run(fleet)
          yield* eventually("every pod that should runs", running(fleet), (count) => count >= wanted, {
            within: RUNNING_WITHIN,
            every: "500 millis"
          })
        })
      )
      return {
        claim: `${pods} pods created with their nodes, three control planes`,
        ours: { value: seedMs, unit: "ms" },
        goal: { _tag: "absolute", atMost: GOAL_MS },
        note: `${wanted} Running after another ${Math.round(runMs)} ms`
      } satisfies Claim
    })
  )
})
