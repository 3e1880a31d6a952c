import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema, Stream } from "effect"
import * as BillingMonth from "../../src/report/BillingMonth.ts"
import * as Focus from "../../src/report/Focus.ts"
import type { WorkloadsQuery } from "../../src/report/CostReport.ts"
import { HOUR_MS, NANOS_PER_UNIT } from "../../src/hour/Units.ts"
import { at, hour, prod, series } from "../store/samples.ts"
import { allWorkloads, asking, type Asking, closing, reporting } from "./reporting.ts"
import { collect, read } from "./written.ts"

const DAYS_60 = 60 * 24
const newYear = at("2025-12-31T00:00")
const range = { from: String(newYear), to: String(newYear + DAYS_60 * HOUR_MS) }

const exported = Effect.fnUntraced(function* (query: Partial<Asking<WorkloadsQuery>> = {}, limit?: number) {
  const { billed, currency } = yield* allWorkloads({ ...asking({ range, ...query }), ...(limit && { limit }) })
  return read(yield* collect(Focus.workloads({ currency, rows: billed })))
})

const nanosOf = (costs: ReadonlyArray<string | undefined>): number =>
  costs.reduce((sum, cost) => sum + Math.round(Number(cost) * NANOS_PER_UNIT), 0)

const Hours = Schema.Array(
  Schema.Struct({
    at: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: DAYS_60 - 1 })),
    nanos: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e13 })),
    name: Schema.Literals(["api", "db", "web"])
  })
).check(Schema.isMaxLength(20))

describe("months of a bill", () => {
  it.prop(
    "follow each other, begin at starts of months and add up to the window",
    {
      start: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 600_000 })),
      hours: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20_000 }))
    },
    ({ hours, start }) => {
      const window = { startMs: start * HOUR_MS, endMs: (start + hours) * HOUR_MS }
      const parts = BillingMonth.cut(window)
      assert.strictEqual(parts[0]?.startMs, window.startMs)
      assert.strictEqual(parts.at(-1)?.endMs, window.endMs)
      for (const [index, part] of parts.entries()) {
        assert.isBelow(part.startMs, part.endMs)
        assert.strictEqual(BillingMonth.startOf(part.startMs), BillingMonth.startOf(part.endMs - 1))
        if (index > 0) assert.strictEqual(part.startMs, parts[index - 1]?.endMs)
        if (index > 0) assert.strictEqual(new Date(part.startMs).getUTCDate(), 1)
      }
    }
  )

  it.effect("each have a charge of their own, within their billing period", () =>
    Effect.gen(function* () {
      const costs = [at("2025-12-31T23:00"), at("2026-01-01T00:00"), at("2026-02-03T10:00")]
      yield* closing(
        costs.map((startMs, index) => hour(startMs, [[series("api"), { cpuCostNanos: 10 ** index }]])),
        newYear + DAYS_60 * HOUR_MS
      )
      const found = yield* exported()
      assert.deepStrictEqual(
        found.map((one) => [
          ...[one["BilledCost"], one["ChargePeriodStart"], one["ChargePeriodEnd"]],
          ...[one["BillingPeriodStart"], one["BillingPeriodEnd"], one["x_ClusterHoursInWindow"]]
        ]),
        [
          [
            "0.000000001",
            "2025-12-31T00:00:00Z",
            "2026-01-01T00:00:00Z",
            "2025-12-01T00:00:00Z",
            "2026-01-01T00:00:00Z",
            "24"
          ],
          [
            "0.00000001",
            "2026-01-01T00:00:00Z",
            "2026-02-01T00:00:00Z",
            "2026-01-01T00:00:00Z",
            "2026-02-01T00:00:00Z",
            "744"
          ],
          [
            "0.0000001",
            "2026-02-01T00:00:00Z",
            "2026-03-01T00:00:00Z",
            "2026-02-01T00:00:00Z",
            "2026-03-01T00:00:00Z",
            "672"
          ]
        ]
      )
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("have the most expensive workloads of the whole window, where rows are limited", () =>
    Effect.gen(function* () {
      yield* closing(
        [
          hour(at("2025-12-31T23:00"), [
            [series("api"), { cpuCostNanos: 1 }],
            [series("db"), { cpuCostNanos: 5 }]
          ]),
          hour(at("2026-01-02T00:00"), [
            [series("api"), { cpuCostNanos: 9 }],
            [series("db"), { cpuCostNanos: 2 }]
          ])
        ],
        newYear + DAYS_60 * HOUR_MS
      )
      const found = yield* exported({}, 1)
      assert.deepStrictEqual(
        found.map((one) => [one["ResourceName"], one["BilledCost"]]),
        [
          ["api", "0.000000001"],
          ["api", "0.000000009"]
        ]
      )
    }).pipe(Effect.provide(reporting()))
  )

  it.effect.prop("add up to the report's rows to the billionth", { hours: Hours }, ({ hours }) =>
    Effect.gen(function* () {
      const byHour = Map.groupBy(hours, (one) => one.at)
      yield* closing(
        [...byHour].map(([index, spent]) => {
          const byName = new Map(spent.map((one) => [one.name, one.nanos]))
          return hour(
            newYear + index * HOUR_MS,
            [...byName].map(([name, nanos]) => [series(name), { cpuCostNanos: nanos, memoryCostNanos: nanos % 7 }])
          )
        }),
        newYear + DAYS_60 * HOUR_MS
      )
      const { rows } = yield* allWorkloads(asking({ range }))
      const found = Map.groupBy(yield* exported(), (one) => one["ResourceId"])
      for (const row of yield* Stream.runCollect(rows)) {
        assert.strictEqual(
          nanosOf((found.get(row.id) ?? []).map((one) => one["BilledCost"])),
          Math.round(row.totalCost * NANOS_PER_UNIT)
        )
        assert.strictEqual(row.cluster, prod)
      }
    }).pipe(Effect.scoped, Effect.provide(reporting()))
  )
})
