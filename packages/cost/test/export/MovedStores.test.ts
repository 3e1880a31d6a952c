import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Stream } from "effect"
import type { CostError } from "../../src/hour/CostError.ts"
import { fromCsv, toCsv } from "../../src/export/CostExport.ts"
import { CostStore } from "../../src/store/CostStore.ts"
import { layerSqlite } from "../../src/store/sqlite/Sqlite.ts"
import * as Server from "../store/clickhouse/Server.ts"
import { amountsOf, at, days, hour, hoursFrom, prod, series, someSeries, stage } from "../store/samples.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"

const monday = at("2026-03-02T00:00")
const always = { startMs: monday - days(9), endMs: monday + days(40) }

const built = (layer: Layer.Layer<CostStore, CostError>) =>
  Effect.map(Layer.build(Layer.fresh(layer)), (context) => Context.get(context, CostStore))

const sqlite = Effect.flatMap(temporaryDirectory, (directory) => built(layerSqlite({ directory })))

const moved = (from: CostStore["Service"], to: CostStore["Service"], closed: "skip" | "replace") =>
  fromCsv(toCsv([prod, stage], always).pipe(Stream.provideService(CostStore, from)), { closed }).pipe(
    Effect.provideService(CostStore, to)
  )

describe("a cost history that moves", () => {
  Server.tested(() => {
    it.live("from SQLite to ClickHouse and back is what it was", () =>
      Effect.gen(function* () {
        const [first, second, third] = [yield* sqlite, yield* built(Server.stores), yield* sqlite]
        const hours = [prod, stage].flatMap((cluster) =>
          hoursFrom(monday + 20 * 3_600_000, 12).map((startMs, index) =>
            hour(
              startMs,
              [...someSeries(), series(`job "${index}",\n`)].map((one, place) => [
                one,
                { cpuCostNanos: place * 1_000 - index, storageKibSeconds: Number.MAX_SAFE_INTEGER - index }
              ]),
              {
                cluster,
                knownSeconds: 3_000 + index,
                rates: [{ provider: "aws", region: "eu-1", instanceType: "m5.large", capacity: "spot", gpuModel: "" }],
                rateOf: Int32Array.of(0, -1, 0, 0, -1, 0),
                storage: [{ series: 3, storageClass: "fast", kibSeconds: 9 }],
                shares: [
                  {
                    series: 2,
                    rate: 0,
                    gpuMilliSeconds: 3,
                    cpuAllocatedMilliSeconds: 5_000_000_000,
                    memoryAllocatedKibSeconds: 6
                  }
                ]
              }
            )
          )
        )
        yield* first.rewrite(hours)
        assert.deepStrictEqual(yield* moved(first, second, "replace"), { written: 24, skipped: 0, forgotten: 0 })
        assert.deepStrictEqual(yield* moved(first, second, "skip"), { written: 0, skipped: 24, forgotten: 0 })
        assert.deepStrictEqual(yield* moved(second, third, "skip"), { written: 24, skipped: 0, forgotten: 0 })
        for (const store of [second, third]) {
          for (const cluster of [prod, stage]) {
            const expected = hours.filter((one) => one.cluster === cluster)
            assert.deepStrictEqual(yield* store.hours(cluster, always), expected)
          }
          const [ours, theirs] = [yield* first.sums([prod, stage], always), yield* store.sums([prod, stage], always)]
          assert.deepStrictEqual(theirs.map(amountsOf), ours.map(amountsOf))
        }
      })
    )
  })
})
