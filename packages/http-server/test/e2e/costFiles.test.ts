import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { aDay, keep } from "./costHistory.ts"
import { type Call, Deployment } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const file = Effect.fnUntraced(function* (route: string, query: string, body: unknown = {}, options: Call = {}) {
  const path = `/detailedCostReport/${route}${yield* aDay}${query}`
  const reply = yield* (yield* Deployment).call(path, { method: "POST", body, ...options })
  assert.strictEqual(reply.status, 200, reply.text)
  const [header = "", ...lines] = reply.text.trimEnd().split("\r\n")
  const columns = header.split(",")
  const rowOf = (line: string): Readonly<Record<string, string>> => {
    const cells = line.split(",")
    return Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? ""]))
  }
  return {
    reply,
    rows: lines.map(rowOf)
  }
})

onOneDriver("files of costs", { children: [], furnish: keep(["hub"]) }, (it) => {
  it.effect("format=csv is a file with the report's rows under the names of the JSON", () =>
    Effect.gen(function* () {
      const { reply, rows } = yield* file("getWorkloads", "&format=csv")
      assert.strictEqual(reply.headers["content-type"], "text/csv; charset=utf-8; header=present")
      assert.match(
        String(reply.headers["content-disposition"]),
        /^attachment; filename="costs-\d{4}-\d\d-\d\dT\d{4}Z-\d{4}-\d\d-\d\dT\d{4}Z\.csv"$/
      )
      const { aggregatedWorkloads, currency } = yield* (yield* Deployment).costs(yield* aDay)
      const more = { currency, clusterHoursCovered: 24, clusterHoursInWindow: 24 }
      assert.deepStrictEqual(
        rows,
        aggregatedWorkloads.map(({ previous, ...row }) => {
          assert.isUndefined(previous)
          return Object.fromEntries(Object.entries({ ...row, ...more }).map(([name, value]) => [name, String(value)]))
        })
      )
    })
  )

  it.effect("limit takes the dearest rows of a file", () =>
    Effect.gen(function* () {
      const { rows } = yield* file("getWorkloads", "&format=csv&limit=1")
      assert.deepStrictEqual(
        rows.map(({ id }) => id),
        ["hub/shop/Deployment/api"]
      )
    })
  )

  it.effect("format=focus has the columns of FOCUS, and its charges sum to the report", () =>
    Effect.gen(function* () {
      const { reply, rows } = yield* file("getWorkloads", "&format=focus")
      assert.include(reply.headers["content-disposition"], 'filename="focus-')
      const { totals } = yield* (yield* Deployment).costs(yield* aDay)
      assert.strictEqual(
        rows.reduce((sum, { EffectiveCost }) => sum + Number(EffectiveCost), 0),
        totals.totalCost
      )
      assert.deepInclude(rows[0], { SubAccountId: "hub", ServiceCategory: "Compute", BillingCurrency: "USD" })
    })
  )

  it.effect("groups are written step by step", () =>
    Effect.gen(function* () {
      const body = { groupBy: ["namespace"], stepSize: "hour" }
      const { reply, rows } = yield* file("getAggregated", "&format=csv", body)
      assert.include(reply.headers["content-disposition"], 'filename="grouped-costs-')
      assert.strictEqual(rows.length, 48)
      assert.strictEqual(
        rows.reduce((sum, { totalCost }) => sum + Number(totalCost), 0),
        36
      )
    })
  )

  it.effect("a scoped key's file has its rows alone", () =>
    Effect.gen(function* () {
      const { reply } = yield* file("getWorkloads", "&format=csv", {}, { key: "shopViewer" })
      assert.include(reply.text, "shop")
      assert.notInclude(reply.text, "payments")
    })
  )

  it.effect("what fails before the file begins is a problem, not a file", () =>
    Effect.gen(function* () {
      const problem = yield* (yield* Deployment).problem("/detailedCostReport/getWorkloads?format=csv", {
        method: "POST",
        key: "shopViewer",
        body: { namespaces: ["payments"] }
      })
      assert.deepInclude(problem, { status: 403, code: "namespace_forbidden", field: "namespaces" })
    })
  )
})
