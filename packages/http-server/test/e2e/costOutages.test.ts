import { assert } from "@effect/vitest"
import { Seed } from "@quarterdeck/harness"
import { Effect } from "effect"
import { aDay, days, keep } from "./costHistory.ts"
import { Deployment, to } from "./Deployment.ts"
import { onBothKinds } from "./onEveryDriver.ts"

/** Both children are dead from the start; of one a history is kept. */
const options = {
  prepare: (fleet: Deployment["Service"]["fleet"]) =>
    Effect.gen(function* () {
      yield* Seed.fill(fleet)
      for (const name of ["prod", "stage"]) yield* (yield* fleet.cluster(name)).kill
    }),
  silent: 2,
  furnish: keep(["hub", "stage"])
}

const WORKLOADS = "/detailedCostReport/getWorkloads"
const everywhere = { headers: to("*") }

onBothKinds("costs of dead clusters", options, (it) => {
  it.effect("what is kept of a dead cluster is reported, and the cluster marked", () =>
    Effect.gen(function* () {
      const { aggregatedWorkloads, clusters, partial } = yield* (yield* Deployment).costs(
        yield* aDay,
        {},
        { headers: to("stage") }
      )
      assert.deepStrictEqual(
        Object.fromEntries(aggregatedWorkloads.map(({ id, totalCost }) => [id, totalCost])),
        days({ "stage/shop/Deployment/api": 0.25 })
      )
      const [stage] = clusters
      assert.include(["unreachable", "timeout"], stage?.status)
      assert.isDefined(stage?.error)
      assert.deepStrictEqual([stage?.hoursCovered, stage?.count], [24, 1])
      assert.isFalse(partial, "all of the window is known")
    })
  )

  it.effect("a window of which not all is known is partial, and coverage says how much is", () =>
    Effect.gen(function* () {
      const { clusters, partial } = yield* (yield* Deployment).costs("?range=7d", {}, { headers: to("stage") })
      assert.isTrue(partial)
      assert.strictEqual(clusters[0]?.hoursCovered, 48)
      assert.isAtLeast(clusters[0]?.hoursInWindow ?? 0, 168)
    })
  )

  it.effect("among others, a cluster of which nothing is kept is missing, not zero", () =>
    Effect.gen(function* () {
      const { aggregatedWorkloads, clusters, partial } = yield* (yield* Deployment).costs(yield* aDay, {}, everywhere)
      assert.isTrue(partial)
      assert.deepStrictEqual(
        clusters.map(({ hoursCovered, name }) => [name, hoursCovered]),
        [
          ["hub", 24],
          ["prod", 0],
          ["stage", 24]
        ]
      )
      assert.isFalse(aggregatedWorkloads.some(({ cluster }) => cluster === "prod"))
    })
  )

  it.effect("a file says in a header whether something is missing", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const query = `${yield* aDay}&format=csv`
      const partialOf = (target: string) =>
        Effect.map(
          deployment.call(`${WORKLOADS}${query}`, { method: "POST", headers: to(target) }),
          ({ headers }) => headers["x-quarterdeck-partial"]
        )
      assert.deepStrictEqual([yield* partialOf("*"), yield* partialOf("hub|stage")], ["true", "false"])
    })
  )

  it.effect("when nothing is kept of any, and none answers, the call fails with the coverage of each", () =>
    Effect.gen(function* () {
      const problem = yield* (yield* Deployment).problem(`${WORKLOADS}${yield* aDay}`, {
        method: "POST",
        headers: to("prod")
      })
      assert.include(["cluster_unreachable", "cluster_timeout"], problem.code)
      assert.deepStrictEqual(
        problem.clusters?.map(({ name }) => name),
        ["prod"]
      )
    })
  )

  it.effect("a key that needs the labels of a dead cluster is shown nothing of it, and told so", () =>
    Effect.gen(function* () {
      const { aggregatedWorkloads, partial } = yield* (yield* Deployment).costs(
        yield* aDay,
        {},
        { key: "teamViewer", ...everywhere }
      )
      assert.isTrue(partial)
      assert.deepStrictEqual([...new Set(aggregatedWorkloads.map(({ cluster }) => cluster))], ["hub"])
    })
  )
})
