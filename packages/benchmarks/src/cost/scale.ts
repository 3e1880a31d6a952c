/**
 * A history of a large fleet: how long a report of all of it takes, and in how much memory.
 */
import { CostStore } from "@quarterdeck/cost/CostStore"
import { layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import { HOUR_MS } from "@quarterdeck/cost/Units"
import { Console, Effect, FileSystem, Schema } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { fileURLToPath } from "node:url"
import type { Claim } from "../Claim.ts"
import type { Extent } from "../Suite.ts"
import * as History from "./history.ts"

const PROBE = fileURLToPath(new URL("../costScale.ts", import.meta.url))
const Probed = Schema.fromJsonString(Schema.Struct({ ms: Schema.Finite, megabytes: Schema.Finite }))

export const scale = Effect.fnUntraced(function* ({ quick }: Extent) {
  const size = quick ? { workloads: 10_000, clusters: 20 } : { workloads: 100_000, clusters: 20 }
  const hours = quick ? 30 : 720
  yield* Console.error(`${hours} hours of ${size.workloads} workloads, written once and read in a process of its own`)
  const files = yield* FileSystem.FileSystem
  const directory = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-bench-" })
  const history = History.make(size)
  yield* Effect.gen(function* () {
    const store = yield* CostStore
    for (let index = 0; index < hours; index++) {
      for (let cluster = 0; cluster < size.clusters; cluster++) yield* store.close(history.hourOf(cluster, index))
    }
  }).pipe(Effect.provide(layerSqlite({ directory })))

  const window = [History.START_MS, History.START_MS + hours * HOUR_MS]
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const printed = yield* spawner.string(
    ChildProcess.make(process.execPath, [
      ...["--conditions=source", PROBE, directory],
      ...[size.clusters, ...window].map(String)
    ])
  )
  const { megabytes, ms } = yield* Schema.decodeEffect(Probed)(printed.trim())
  const note = `${size.workloads} workloads, ${hours} hours, ${size.clusters} clusters`
  return [
    {
      claim: "a report of the whole fleet, rows built and sorted",
      ours: { value: ms, unit: "ms" },
      goal: { _tag: "absolute", atMost: 150 },
      note
    },
    {
      claim: "memory of the process that reports",
      ours: { value: megabytes, unit: "MB" },
      goal: { _tag: "absolute", atMost: 500 },
      note: "resident, at most"
    }
  ] satisfies ReadonlyArray<Claim>
})
