/**
 * A large seed on three control planes, and the time until its pods run.
 */
import { ControlPlane, eventually, FakeKubelet, Fleet, Seed } from "@quarterdeck/harness"
import { Console, Effect } from "effect"
import type { Claim } from "../claim/Claim.ts"
import { timed } from "../claim/Measure.ts"
import type { Extent, Part } from "../claim/Suite.ts"
import { lackOf } from "./lack.ts"
import * as PodsMissing from "./podsMissing.ts"

const CLUSTERS = 3
const PODS = 5_000
const QUICK_PODS = 600
const GOAL_MS = 20_000
const RUNNING_WITHIN = "5 minutes"

/** Counts the pods in all clusters that match a field selector. */
const podsOf = (fleet: Fleet["Service"], picked: { readonly fieldSelector?: string } = {}) =>
  Effect.map(
    Effect.forEach(fleet.clusters, ({ api }) => api.list({ apiVersion: "v1", kind: "Pod", ...picked })),
    (lists) => lists.reduce((sum, { items }) => sum + items.length, 0)
  )

const measure = Effect.fnUntraced(function* ({ quick }: Extent) {
  const each = Math.ceil((quick ? QUICK_PODS : PODS) / CLUSTERS)
  const asked = each * CLUSTERS
  yield* Console.error(`${asked} pods with their nodes over three control planes`)
  const fleet = yield* Fleet.make({ driver: ControlPlane.driver, parent: "hub", children: ["prod", "stage"] })
  const [seedMs, plans] = yield* timed(Seed.fill(fleet, { size: { pods: each }, pods: "bound" }))
  yield* PodsMissing.check({ asked, found: yield* podsOf(fleet) })
  const planned = plans.flatMap(({ workloads }) => workloads.flatMap((workload) => workload.pods))
  // Some pods of a seed are meant not to run. The others must run.
  const wanted = asked - planned.filter(({ state }) => state !== "running").length
  const [runMs] = yield* timed(
    Effect.gen(function* () {
      yield* FakeKubelet.run(fleet)
      const running = podsOf(fleet, { fieldSelector: "status.phase=Running" })
      yield* eventually("every pod that should runs", running, (count) => count >= wanted, {
        within: RUNNING_WITHIN,
        every: "500 millis"
      })
    })
  )
  const claim: Claim = {
    claim: `${asked} pods created with their nodes, three control planes`,
    ours: { value: seedMs, unit: "ms" },
    goal: { _tag: "absolute", atMost: GOAL_MS },
    note: `as many counted afterwards; ${wanted} of them Running after another ${Math.round(runMs)} ms`
  }
  return [claim]
})

export const seeds: Part = { name: "seeds, control-plane", lacks: lackOf(ControlPlane.driver), measure }
