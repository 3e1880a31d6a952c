import { assert } from "@effect/vitest"
import { Seed } from "@quarterdeck/harness"
import { Effect } from "effect"
import { aDay, days, keep } from "./costHistory.ts"
import { type Call, Deployment, type KeyName, to } from "./Deployment.ts"
import { onBothKinds } from "./onEveryDriver.ts"

const HUB = { "hub/shop/Deployment/api": 1, "hub/payments/Deployment/ledger": 0.5 }
const PROD = {
  "prod/payments/Deployment/ledger": 3,
  "prod/shop/Deployment/api": 2,
  "prod/shop/StatefulSet/db": 0.75
}
const STAGE = { "stage/shop/Deployment/api": 0.25 }
const ALL = { ...HUB, ...PROD, ...STAGE }

const several = (...clusters: ReadonlyArray<string>) => ({ multiCluster: true, clusters })

const ask = Effect.fnUntraced(function* (body: unknown, options?: Call, more = "") {
  return yield* (yield* Deployment).costs(`${yield* aDay}${more}`, body, options)
})

const costsById = (rows: ReadonlyArray<{ readonly id: string; readonly totalCost: number }>) =>
  Object.fromEntries(rows.map(({ id, totalCost }) => [id, totalCost]))

const names = (clusters: ReadonlyArray<{ readonly name: string }>) => clusters.map(({ name }) => name)

onBothKinds("costs", { prepare: (fleet) => Seed.fill(fleet), furnish: keep(["hub", "prod", "stage"]) }, (it) => {
  it.effect.each<[string, unknown, Call, ReadonlyArray<string>, Readonly<Record<string, number>>]>([
    ["parent: neither header nor multiCluster", {}, {}, ["hub"], HUB],
    ["parent: the body is empty", "", {}, ["hub"], HUB],
    ["one: the header names it", {}, { headers: to("prod") }, ["prod"], PROD],
    ["several: the header joins them", {}, { headers: to("stage|prod") }, ["stage", "prod"], { ...PROD, ...STAGE }],
    ["several: the body lists them", several("stage", "prod", "stage"), {}, ["stage", "prod"], { ...PROD, ...STAGE }],
    ["all: the header is *", {}, { headers: to("*") }, ["hub", "prod", "stage"], ALL],
    ['all: the header is "*" with its quotes', {}, { headers: to('"*"') }, ["hub", "prod", "stage"], ALL],
    ["all: multiCluster without a list", { multiCluster: true }, {}, ["hub", "prod", "stage"], ALL],
    ["the body's list wins over the header", several("stage"), { headers: to("prod") }, ["stage"], STAGE],
    [
      "without multiCluster the body's list is ignored",
      { clusters: ["stage"] },
      { headers: to("prod") },
      ["prod"],
      PROD
    ],
    [
      "multiCluster without a list leaves it to the header",
      { multiCluster: true },
      { headers: to("prod") },
      ["prod"],
      PROD
    ],
    ["all: only those of the key's scope", { multiCluster: true }, { key: "prodViewer" }, ["prod"], PROD]
  ])("%s", ([, body, options, clusters, expected]) =>
    Effect.gen(function* () {
      const reply = yield* ask(body, options)
      assert.deepStrictEqual(names(reply.clusters), [...clusters])
      assert.deepStrictEqual(costsById(reply.aggregatedWorkloads), days(expected))
    })
  )

  it.effect.each<[string, object, ReadonlyArray<string>]>([
    ["a namespace", { namespaces: ["payments"] }, ["prod/payments/Deployment/ledger"]],
    ["a kind", { workloadTypes: ["StatefulSet"] }, ["prod/shop/StatefulSet/db"]],
    [
      "a kind within a namespace",
      { namespaces: ["shop"], workloadTypes: ["Deployment"] },
      ["prod/shop/Deployment/api"]
    ],
    ["a label", { labelSelector: "app=ledger" }, ["prod/payments/Deployment/ledger"]],
    [
      "labels, in the words of kubectl",
      { labelSelector: "app in (api, db), !canary", workloadTypes: ["StatefulSet"] },
      ["prod/shop/StatefulSet/db"]
    ],
    ["a label that nobody has", { labelSelector: "tier" }, []],
    ["a kind that nobody has", { workloadTypes: ["Rollout"] }, []],
    ["a namespace that nobody has", { namespaces: ["nowhere"] }, []]
  ])("the body narrows to %s", ([, body, ids]) =>
    Effect.gen(function* () {
      const { aggregatedWorkloads, totals } = yield* ask(body, { headers: to("prod") })
      assert.deepStrictEqual(
        aggregatedWorkloads.map(({ id }) => id),
        [...ids]
      )
      assert.strictEqual(
        totals.totalCost,
        aggregatedWorkloads.reduce((sum, { totalCost }) => sum + totalCost, 0)
      )
    })
  )

  it.effect("compare adds the figures of the window before, and null where less was observed", () =>
    Effect.gen(function* () {
      const from = Number(new URLSearchParams(yield* aDay).get("from"))
      const { costs } = yield* Deployment
      const windowOf = (hours: number, length: number) =>
        `?from=${from + hours * 3_600_000}&to=${from + (hours + length) * 3_600_000}`
      const body = { multiCluster: true, compare: true }
      const reply = yield* costs(windowOf(12, 12), body)
      assert.deepStrictEqual(reply.previous?.totals, reply.totals)
      assert.strictEqual(reply.previous?.window.end, reply.window.start)
      for (const { previous, totalCost } of reply.aggregatedWorkloads)
        assert.strictEqual(previous?.totalCost, totalCost)
      const early = yield* costs(windowOf(0, 24), body)
      assert.isNull(early.previous?.totals)
      assert.deepStrictEqual(
        early.previous?.clusters.map(({ comparable, hoursCovered }) => [comparable, hoursCovered]),
        Array.from({ length: 3 }, () => [false, 8])
      )
      for (const { previous } of early.aggregatedWorkloads) assert.isNull(previous)
    })
  )

  it.effect("the reply says its window, its currency, and how much of the window each cluster was seen", () =>
    Effect.gen(function* () {
      const query = yield* aDay
      const { clusters, currency, partial, window } = yield* ask({ multiCluster: true })
      const asked = new URLSearchParams(query)
      assert.deepStrictEqual(window, {
        start: new Date(Number(asked.get("from"))).toISOString(),
        end: new Date(Number(asked.get("to"))).toISOString()
      })
      assert.deepStrictEqual([currency, partial], ["USD", false])
      for (const { hoursCovered, hoursInWindow, status } of clusters) {
        assert.deepStrictEqual([hoursCovered, hoursInWindow, status], [24, 24, "ok"])
      }
    })
  )

  it.effect("without a range it is the last seven days, up to now", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const spans = yield* Effect.forEach(["", "?range=7d", "?range=1w", "?range=168h"], (query) =>
        Effect.map(deployment.costs(query), ({ window }) => Date.parse(window.end) - Date.parse(window.start))
      )
      for (const span of spans) {
        assert.isAtLeast(span, 7 * 86_400_000)
        assert.isBelow(span, 7 * 86_400_000 + 3_600_000)
      }
    })
  )

  it.effect.each<[KeyName, Call["headers"], string]>([
    ["prodViewer", to("prod"), "stage"],
    ["shopViewer", to("*"), "payments"],
    ["teamViewer", to("*"), "payments"]
  ])(
    "a scoped key (%s) sees its rows as they are for everybody, and no trace of others",
    ([key, headers = [], hidden]) =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const query = yield* aDay
        const whole = yield* ask({ multiCluster: true })
        const reply = yield* deployment.call(`/detailedCostReport/getWorkloads${query}`, {
          method: "POST",
          key,
          headers
        })
        assert.strictEqual(reply.status, 200)
        assert.notInclude(reply.text, hidden)
        const { aggregatedWorkloads, totals } = yield* ask({}, { key, headers })
        assert.isNotEmpty(aggregatedWorkloads)
        for (const row of aggregatedWorkloads) {
          assert.deepStrictEqual(
            row,
            whole.aggregatedWorkloads.find(({ id }) => id === row.id)
          )
        }
        assert.strictEqual(
          totals.totalCost,
          aggregatedWorkloads.reduce((sum, { totalCost }) => sum + totalCost, 0)
        )
      })
  )

  it.effect("pages go through every row once, and a cursor serves its own question alone", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const ids: Array<string> = []
      let cursor = ""
      for (let page = 0; page < 10; page++) {
        const reply = yield* ask({ multiCluster: true }, {}, `&limit=2${cursor}`)
        ids.push(...reply.aggregatedWorkloads.map(({ id }) => id))
        assert.strictEqual(reply.totals.totalCost, 7.5 * 24)
        if (reply.nextCursor === undefined) break
        cursor = `&cursor=${reply.nextCursor}`
      }
      assert.deepStrictEqual(
        ids,
        (yield* ask({ multiCluster: true })).aggregatedWorkloads.map(({ id }) => id)
      )
      const other = yield* deployment.problem(`/detailedCostReport/getWorkloads${yield* aDay}${cursor}`, {
        method: "POST",
        body: { multiCluster: true, namespaces: ["shop"] }
      })
      assert.deepInclude(other, { status: 400, code: "invalid_cursor", field: "cursor" })
    })
  )

  it.effect("groups sum to the report, and what is idle stands beside them when it is asked for", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const groups = Effect.fnUntraced(function* (body: object) {
        const reply = yield* deployment.costGroups(yield* aDay, { multiCluster: true, ...body })
        if (!("rows" in reply)) return []
        return reply.rows.map(({ group, idle, totalCost }) => [
          Object.values(group).join("/"),
          idle ?? false,
          totalCost
        ])
      })
      assert.deepStrictEqual(yield* groups({ groupBy: ["cluster"] }), [
        ["prod", false, 5.75 * 24],
        ["hub", false, 1.5 * 24],
        ["stage", false, 0.25 * 24]
      ])
      assert.deepStrictEqual(yield* groups({ groupBy: ["label:app"], namespaces: ["shop"] }), [
        ["api", false, 3.25 * 24],
        ["db", false, 0.75 * 24]
      ])
      assert.deepInclude(yield* groups({ groupBy: ["cluster"], idle: "show" }), ["prod", true, 1.5 * 24])
    })
  )

  it.effect("steps sum to the window", () =>
    Effect.gen(function* () {
      const reply = yield* (yield* Deployment).costGroups(
        yield* aDay,
        { groupBy: ["namespace"], stepSize: "hour" },
        { headers: to("prod") }
      )
      const buckets = "buckets" in reply ? reply.buckets : []
      assert.strictEqual(buckets.length, 24)
      const sum = buckets.flatMap(({ rows }) => rows).reduce((all, { totalCost }) => all + totalCost, 0)
      assert.strictEqual(sum, 5.75 * 24)
      assert.strictEqual(reply.totals.totalCost, sum)
    })
  )

  it.effect("an explanation has the report's row, whose hours sum to it, and ignores the header", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const day = yield* aDay
      const id = "prod/shop/StatefulSet/db"
      const { aggregatedWorkloads } = yield* ask({}, { headers: to("prod") })
      const query = `${day}&cluster=prod&id=${encodeURIComponent(id)}`
      const { clusters, hours, row, stepSize } = yield* deployment.costExplanation(query, { headers: to("||") })
      assert.deepStrictEqual(
        row,
        aggregatedWorkloads.find((one) => one.id === id)
      )
      assert.deepStrictEqual([stepSize, hours.length, names(clusters)], ["hour", 24, ["prod"]])
      assert.strictEqual(
        hours.reduce((sum, { totalCost }) => sum + totalCost, 0),
        row.totalCost
      )
      for (const hour of hours) assert.strictEqual(hour.prices.memoryPerGiBHour, 1)
    })
  )

  it.effect("/metrics tells how far the history is behind", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { text } = yield* deployment.call("/metrics", { key: "admin" })
      for (const cluster of ["hub", "prod", "stage"]) {
        assert.match(text, new RegExp(`^quarterdeck_cost_lag_seconds\\{cluster="${cluster}"\\} [0-9]`, "m"))
      }
    })
  )
})
