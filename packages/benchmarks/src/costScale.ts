/**
 * Reads reports from a cost history in a process of its own, so that its memory can be told.
 *
 * Called with the history's directory, how many clusters, and the window's ends. Prints one line of JSON.
 */
import { CostStore } from "@quarterdeck/cost/CostStore"
import type { Series } from "@quarterdeck/cost/Series"
import { layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import { NodeRuntime } from "@effect/platform-node"
import { Console, Effect } from "effect"
import { median, timed } from "./Measure.ts"
import { clusterName } from "./cost/history.ts"
import * as Rows from "./cost/rows.ts"

const TIMES = 7
const BYTES_PER_MB = 1_000_000
const [, , directory = "", clusters = "0", startMs = "0", endMs = "0"] = process.argv

const probe = Effect.gen(function* () {
  const store = yield* CostStore
  const names = Array.from({ length: Number(clusters) }, (_, cluster) => clusterName(cluster))
  const keys = new Map<Series, number>()
  const report = Effect.map(store.sums(names, { startMs: Number(startMs), endMs: Number(endMs) }), (sums) =>
    Rows.fromSums(sums, keys)
  )
  let mostBytes = 0
  const took: Array<number> = []
  for (let turn = 0; turn < TIMES; turn++) {
    const [ms] = yield* timed(report)
    took.push(ms)
    mostBytes = Math.max(mostBytes, process.memoryUsage.rss())
  }
  yield* Console.log(JSON.stringify({ ms: median(took.slice(1)), megabytes: mostBytes / BYTES_PER_MB }))
})

NodeRuntime.runMain(Effect.provide(probe, layerSqlite({ directory })))
