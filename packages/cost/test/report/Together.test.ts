import { CursorKey } from "@quarterdeck/cluster-fanout/Cursor"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { CostReport } from "../../src/report/CostReport.ts"
import { OpenHours } from "../../src/report/OpenHours.ts"
import * as Prices from "../../src/price/Prices.ts"
import { layerSqlite } from "../../src/store/sqlite/Sqlite.ts"
import { HOUR_SECONDS } from "../../src/hour/Units.ts"
import { hour, hoursFrom, prod, series, stage } from "../store/samples.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import {
  allWorkloads,
  asking,
  closing,
  explain,
  getAggregated,
  getWorkloads,
  grouping,
  monday,
  viewOf
} from "./reporting.ts"

const HOURS = 30

/** Two clusters with some workloads each, one of which lives twice. */
const kept = hoursFrom(monday, HOURS).flatMap((startMs, index) =>
  [prod, stage].map((cluster, place) =>
    hour(
      startMs,
      ["api", "db", index < 10 ? "job" : "cron"].map((name, at) => [
        series(name, name === "db" ? { uid: `uid-${index >> 4}` } : {}),
        { cpuCostNanos: (index + 1) * (at + 2) * (place + 1), existedSeconds: HOUR_SECONDS, replicaSeconds: 3_600 }
      ]),
      { cluster }
    )
  )
)

const reporting = Layer.unwrap(
  Effect.map(temporaryDirectory, (directory) =>
    CostReport.layer.pipe(
      Layer.provideMerge(
        Layer.mergeAll(layerSqlite({ directory }), Prices.layerMemory, CursorKey.layerRandom, OpenHours.layerNone)
      )
    )
  )
)

describe("reports over a history in SQLite", () => {
  it.effect("tell the same together as one after the other, and again", () =>
    Effect.gen(function* () {
      yield* closing(kept)
      const target = { mode: "Named", clusters: [prod, stage] } as const
      const page = getWorkloads(asking({ target }))
      const all = Effect.flatMap(allWorkloads(asking({ target })), ({ rows }) => Stream.runCollect(rows))
      const groups = getAggregated(grouping(["namespace", "workload"], { target }))
      const steps = getAggregated(grouping(["cluster"], { target, stepSize: "day" }))
      const { namespaces, range } = asking()
      const explained = explain({
        namespaces,
        range,
        view: () => viewOf(prod),
        cluster: prod,
        id: "prod/shop/Deployment/db"
      })

      const first = yield* page
      assert.strictEqual(first.aggregatedWorkloads.length, 8)
      assert.isAbove(first.totals.totalCost, 0)
      const alone = {
        page: first,
        all: yield* all,
        groups: yield* groups,
        steps: yield* steps,
        explained: yield* explained
      }
      assert.deepStrictEqual(alone.all, first.aggregatedWorkloads)
      for (let turn = 0; turn < 3; turn++) {
        const [one, rows, another, grouped, stepped, told] = yield* Effect.all(
          [page, all, page, groups, steps, explained],
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual({ page: one, all: rows, groups: grouped, steps: stepped, explained: told }, alone)
        assert.deepStrictEqual(another, first)
      }
    }).pipe(Effect.provide(reporting))
  )

  it.effect("tell the same after one of several that asked the same was given up", () =>
    Effect.gen(function* () {
      yield* closing(kept)
      const page = getWorkloads(asking())
      const expected = yield* page
      const [told] = yield* Effect.all([page, Effect.timeoutOption(page, 0), page], { concurrency: "unbounded" })
      assert.deepStrictEqual(told, expected)
      assert.deepStrictEqual(yield* page, expected)
    }).pipe(Effect.provide(reporting))
  )
})
