import { assert } from "@effect/vitest"
import { eventually, type FleetCluster } from "@quarterdeck/harness"
import { Clock, Effect } from "effect"
import { Deployment, to } from "./Deployment.ts"
import { deploymentNamed } from "./manifests.ts"
import { onEveryDriver } from "./onEveryDriver.ts"

const everywhere = { headers: to("*") }

/** Enough for those that live to answer on a busy machine. */
const DEADLINE_MS = 5_000

const fill = (clusters: ReadonlyArray<FleetCluster.FleetCluster>) =>
  Effect.forEach(clusters, (cluster) => cluster.api.create(deploymentNamed(`from-${cluster.name}`)), { discard: true })

const statuses = Effect.gen(function* () {
  const { clusters } = yield* (yield* Deployment).workloads("", everywhere)
  return clusters.map(({ name, status }) => `${name} ${status}`)
})

onEveryDriver("outages", { prepare: (fleet) => fill(fleet.clusters) }, (it) => {
  it.effect(
    "a child that is killed becomes a coverage row within the deadline, never a missing zero, and comes back by itself",
    () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const prod = yield* deployment.fleet.cluster("prod")
        yield* prod.kill

        const startedAt = yield* Clock.currentTimeMillis
        const live = yield* deployment.workloads(`?consistency=live&timeoutMs=${DEADLINE_MS}`, everywhere)
        assert.isBelow((yield* Clock.currentTimeMillis) - startedAt, DEADLINE_MS + 2_000)
        const [hub, dead, stage] = live.clusters
        assert.deepStrictEqual([hub?.status, stage?.status], ["ok", "ok"])
        assert.include(["unreachable", "timeout"], dead?.status)
        assert.isDefined(dead?.error)
        assert.isTrue(live.partial)
        assert.deepStrictEqual(
          live.workloads.map(({ name }) => name),
          ["from-hub", "from-stage"]
        )

        const cached = yield* eventually(
          "the cached answer says that prod is stale",
          statuses,
          (seen) => seen.includes("prod stale"),
          {
            within: "20 seconds"
          }
        )
        assert.deepStrictEqual(cached, ["hub ok", "prod stale", "stage ok"])
        const rows = yield* deployment.workloads("", everywhere)
        assert.include(
          rows.workloads.map(({ name }) => name),
          "from-prod",
          "stale rows are shown, and said to be stale"
        )
        assert.isFalse(rows.partial)

        const { clusters } = yield* deployment.clusters()
        assert.deepStrictEqual(
          clusters.map(({ reachable }) => reachable),
          [true, false, true]
        )

        const alone = yield* deployment.problem(`/api/v1/workloads?consistency=live&timeoutMs=${DEADLINE_MS}`, {
          headers: to("prod")
        })
        assert.include(["cluster_unreachable", "cluster_timeout"], alone.code)
        assert.deepStrictEqual(
          alone.clusters?.map(({ name }) => name),
          ["prod"]
        )

        yield* prod.restart
        yield* eventually("prod is ok again", statuses, (seen) => seen.includes("prod ok"), { within: "90 seconds" })
        yield* prod.api.create(deploymentNamed("after-restart"))
        yield* eventually(
          "a workload made after the restart is in the merged answer",
          deployment.workloads("?name=after-restart", everywhere),
          ({ workloads }) => workloads.length === 1,
          { within: "30 seconds" }
        )
        yield* eventually(
          "a live answer is whole again",
          deployment.workloads("?consistency=live", everywhere),
          ({ partial }) => !partial,
          {
            within: "90 seconds"
          }
        )
      }),
    240_000
  )
})
