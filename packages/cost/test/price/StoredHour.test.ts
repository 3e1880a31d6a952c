import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { CostStore } from "../../src/store/CostStore.ts"
import * as PriceBook from "../../src/price/PriceBook.ts"
import { reprice } from "../../src/price/HourCosts.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import { layerMemory } from "../../src/store/Memory.ts"
import { layerSqlite } from "../../src/store/sqlite/Sqlite.ts"
import { hour as hourOf, prod, series } from "../store/samples.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { bookOf, onDemand } from "./samples.ts"

const startMs = Date.parse("2026-03-08T10:00:00Z")
const layers = {
  memory: layerMemory,
  SQLite: Layer.unwrap(Effect.map(temporaryDirectory, (directory) => layerSqlite({ directory })))
}

const hour = hourOf(
  startMs,
  [
    [series("api"), { cpuAllocatedMilliSeconds: 1_800_000, storageKibSeconds: 7_000_000_000 }],
    [series("db"), { cpuAllocatedMilliSeconds: 900_001, storageKibSeconds: 9_000_000_000 }]
  ],
  {
    rates: [onDemand],
    rateOf: Int32Array.from([0, 0]),
    storage: [
      { series: 0, storageClass: "gp3", kibSeconds: 7_000_000_000 },
      { series: 1, storageClass: "gp3", kibSeconds: 4_000_000_000 },
      { series: 1, storageClass: "io2", kibSeconds: 3_000_000_000 }
    ]
  }
)
const book = bookOf(
  { resource: "storage", match: { storageClass: "io2" }, storagePerGiBHour: 0.01 },
  { resource: "storage", match: { storageClass: "gp3" }, storagePerGiBHour: 0.001 }
)

describe.each(Object.entries(layers))("an hour kept by %s", (_, layer) => {
  it.live("can be charged anew, its volumes by their classes", () =>
    Effect.gen(function* () {
      const store = yield* CostStore
      yield* store.close(hour)
      const [read] = yield* store.hours(prod, { startMs, endMs: startMs + HOUR_MS })
      assert.isDefined(read)
      if (read === undefined) return
      const charge = (one: typeof hour) =>
        reprice(one, (subject) => PriceBook.effective(book, subject, startMs)).columns
      assert.deepStrictEqual(charge(read), charge(hour))
      assert.isAbove(charge(read).storageCostNanos[1] ?? 0, charge(read).storageCostNanos[0] ?? 0)
    }).pipe(Effect.provide(layer))
  )
})
