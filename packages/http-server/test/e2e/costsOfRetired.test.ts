import { assert } from "@effect/vitest"
import { HistoryStore } from "@quarterdeck/cost/HistoryStore"
import { layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import { HOUR_MS } from "@quarterdeck/cost/Units"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { RenamedHistory } from "@quarterdeck/targeting/HistoryName"
import { Effect } from "effect"
import { aDay, days, keep } from "./costHistory.ts"
import { type Call, Deployment, type KeyName, to } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const OLD = "hub@2026-01-15"

/** `stage` left. `prod` is kept of a cluster whose name hub had, as another is hub now. */
const furnish = (directory: string) =>
  Effect.andThen(
    keep(["hub", "prod", "stage"])(directory),
    Effect.flatMap(HistoryStore, ({ save }) =>
      save([
        {
          key: ClusterName.make("prod"),
          name: ClusterName.make("hub"),
          sinceMs: 0,
          uid: "gone",
          renamed: RenamedHistory.make(OLD)
        }
      ])
    ).pipe(Effect.provide(layerSqlite({ directory })))
  )

const WORKLOADS = "/detailedCostReport/getWorkloads"

const costsOf = Effect.fnUntraced(function* (target: string | undefined, key: KeyName = "viewer") {
  const call: Call = target === undefined ? { key } : { key, headers: to(target) }
  const body = target === undefined ? { multiCluster: true } : {}
  const { aggregatedWorkloads, clusters, partial, totals } = yield* (yield* Deployment).costs(yield* aDay, body, call)
  return {
    partial,
    total: totals.totalCost,
    statuses: clusters.map(({ name, status }) => [name, status]),
    byId: Object.fromEntries(aggregatedWorkloads.map(({ id, totalCost }) => [id, totalCost]))
  }
})

const refusal = (target: string, key: KeyName) =>
  Effect.flatMap(aDay, (day) =>
    Effect.flatMap(Deployment, ({ problem }) =>
      problem(`${WORKLOADS}${day}`, { method: "POST", body: {}, key, headers: to(target) })
    )
  )

onOneDriver("costs of clusters that left", { children: ["later"], furnish }, (it) => {
  it.effect("count in every cluster, by their names, and are an answer", () =>
    Effect.gen(function* () {
      for (const target of ["*", undefined]) {
        const { byId, partial, statuses, total } = yield* costsOf(target)
        assert.deepStrictEqual(statuses, [
          ["hub", "ok"],
          [OLD, "retired"],
          ["later", "ok"],
          ["stage", "retired"]
        ])
        assert.isFalse(partial)
        assert.closeTo(total, 24 * (1.5 + 5.75 + 0.25), 1e-6)
        assert.strictEqual(byId[`${OLD}/shop/StatefulSet/db`], 18)
      }
    })
  )

  it.effect("are addressed by name, beside clusters that are there", () =>
    Effect.gen(function* () {
      const one = yield* costsOf("stage")
      assert.deepStrictEqual(one.byId, days({ "stage/shop/Deployment/api": 0.25 }))
      const both = yield* costsOf(`${OLD}|hub`)
      assert.deepStrictEqual(both.statuses, [
        [OLD, "retired"],
        ["hub", "ok"]
      ])
    })
  )

  it.effect("are explained, and written as files", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const id = `${OLD}/shop/StatefulSet/db`
      const day = yield* aDay
      const explained = yield* deployment.call(
        `/api/v1/costExplanation${day}&cluster=${encodeURIComponent(OLD)}&id=${encodeURIComponent(id)}`
      )
      assert.strictEqual(explained.status, 200, explained.text)
      for (const format of ["csv", "focus"]) {
        const { status, text } = yield* deployment.call(`${WORKLOADS}${day}&format=${format}`, {
          method: "POST",
          body: {},
          headers: to("*")
        })
        assert.strictEqual(status, 200)
        assert.include(text, id)
        assert.include(text, "stage/shop/Deployment/api")
      }
    })
  )

  it.effect("under renamed histories are not of a key with a cluster scope, which sees its own clusters' past", () =>
    Effect.gen(function* () {
      const { byId, statuses } = yield* costsOf("*", "childrenViewer")
      assert.deepStrictEqual(statuses, [
        ["later", "ok"],
        ["stage", "retired"]
      ])
      assert.deepStrictEqual(byId, days({ "stage/shop/Deployment/api": 0.25 }))
      assert.deepInclude(yield* refusal(OLD, "childrenViewer"), { status: 403, code: "cluster_forbidden" })
      assert.deepInclude(yield* refusal("hub@2020-01-01", "childrenViewer"), { status: 403, code: "cluster_forbidden" })
    })
  )

  it.effect("are cut to the namespaces of a key's names, and closed to keys with label rules", () =>
    Effect.gen(function* () {
      const shop = yield* costsOf(OLD, "shopViewer")
      assert.sameMembers(Object.keys(shop.byId), [`${OLD}/shop/Deployment/api`, `${OLD}/shop/StatefulSet/db`])
      const team = yield* costsOf("*", "teamViewer")
      assert.deepStrictEqual(
        team.statuses.map(([name]) => String(name)),
        ["hub", "later"]
      )
      assert.deepInclude(yield* refusal("stage", "teamViewer"), { status: 404, code: "cluster_not_found" })
    })
  )

  it.effect("without costs in the window are 404, and a dated name is no target of any other route", () =>
    Effect.gen(function* () {
      assert.deepInclude(yield* refusal("hub@2020-01-01", "viewer"), { status: 404, code: "cluster_not_found" })
      const { problem } = yield* Deployment
      assert.deepInclude(yield* problem("/api/v1/workloads", { headers: to(OLD) }), {
        status: 400,
        code: "invalid_target"
      })
      assert.deepInclude(yield* problem("/api/v1/workloads", { headers: to("stage") }), {
        status: 404,
        code: "cluster_not_found"
      })
    })
  )
})

/** `stage` left in the middle of {@link aDay}. */
const furnishMidday = (directory: string) => Effect.andThen(keep(["hub"])(directory), keep(["stage"], LEFT)(directory))
const LEFT = { hours: 20, endedHoursAgo: 28 }

/** The second half of {@link aDay}, which the first half precedes. */
const afternoon = Effect.map(aDay, (day) => {
  const toMs = Number(new URLSearchParams(day).get("to"))
  return `?from=${toMs - 12 * HOUR_MS}&to=${toMs}`
})

onOneDriver("costs of a cluster that left before the window", { children: ["later"], furnish: furnishMidday }, (it) => {
  it.effect("are in a comparison, so that its totals are not compared with those of fewer clusters", () =>
    Effect.gen(function* () {
      const { costGroups, costs } = yield* Deployment
      const query = yield* afternoon
      const body = { multiCluster: true, compare: true }
      const replies = [yield* costs(query, body), yield* costGroups(query, { ...body, groupBy: ["cluster"] })]
      for (const { clusters, partial, previous, totals } of replies) {
        assert.closeTo(totals.totalCost, 12 * 1.5, 1e-6)
        assert.isNull(previous?.totals)
        assert.isFalse(partial)
        assert.deepStrictEqual(
          clusters.map(({ hoursCovered, name, status }) => [name, status, hoursCovered]),
          [
            ["hub", "ok", 12],
            ["later", "ok", 0],
            ["stage", "retired", 0]
          ]
        )
        assert.deepStrictEqual(
          previous?.clusters.map(({ comparable, name }) => [name, comparable]),
          [
            ["hub", true],
            ["later", true],
            ["stage", false]
          ]
        )
      }
    })
  )

  it.effect("are compared by its name, and it is no cluster of a report without a comparison", () =>
    Effect.gen(function* () {
      const { costs, problem } = yield* Deployment
      const query = yield* afternoon
      const compared = yield* costs(query, { compare: true }, { headers: to("stage") })
      assert.deepStrictEqual([compared.totals.totalCost, compared.previous?.totals], [0, null])
      const plain = yield* costs(query, { multiCluster: true })
      assert.deepStrictEqual(
        plain.clusters.map(({ name }) => String(name)),
        ["hub", "later"]
      )
      const refused = yield* problem(`${WORKLOADS}${query}`, { method: "POST", body: {}, headers: to("stage") })
      assert.deepInclude(refused, { status: 404, code: "cluster_not_found" })
    })
  )
})
