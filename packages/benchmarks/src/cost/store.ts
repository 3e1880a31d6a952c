/**
 * The cost history in SQLite, against passes over its samples in typed arrays and against rows in SQLite.
 */
import { CostStore } from "@quarterdeck/cost/CostStore"
import type { CostError } from "@quarterdeck/cost/CostError"
import type { Series } from "@quarterdeck/cost/Series"
import { layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import { HOUR_MS } from "@quarterdeck/cost/Units"
import { Console, Context, Effect, FileSystem, Layer, Path, type PlatformError, type Scope } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import type { Claim } from "../Claim.ts"
import { pairs, timed } from "../Measure.ts"
import type { Extent } from "../Suite.ts"
import * as History from "./history.ts"
import * as Peers from "./peers.ts"
import * as Rows from "./rows.ts"

const WEEK_HOURS = 168
const MONTH_HOURS = 720
const NANOS_PER_MS = 1_000_000

type Needs = Scope.Scope | FileSystem.FileSystem | Path.Path
type Failure = CostError | PlatformError.PlatformError

interface Sizes extends History.Size {
  readonly hours: number
  readonly times: number
}

const sizesOf = ({ quick }: Extent): Sizes =>
  quick
    ? { workloads: 10_000, clusters: 20, hours: 192, times: 7 }
    : { workloads: 10_000, clusters: 20, hours: MONTH_HOURS, times: 15 }

const openStore = (directory: string): Effect.Effect<CostStore["Service"], CostError, Scope.Scope> =>
  Effect.map(Layer.build(layerSqlite({ directory })), (services) => Context.get(services, CostStore))

const temporary = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  return yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-bench-" })
})

const ms = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<number, E, R> =>
  Effect.map(timed(effect), ([took]) => took)

/** Milliseconds for which the event loop was held up while an effect ran. */
const heldUp = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<number, E, R> =>
  Effect.gen(function* () {
    const delays = monitorEventLoopDelay({ resolution: 1 })
    delays.enable()
    yield* effect
    delays.disable()
    return delays.max / NANOS_PER_MS
  })

export const reports = Effect.fnUntraced(function* (
  extent: Extent
): Effect.fn.Return<ReadonlyArray<Claim>, Failure, Needs> {
  const sizes = sizesOf(extent)
  const { clusters, hours, times, workloads } = sizes
  yield* Console.error(`${hours} hours of ${workloads} workloads in ${clusters} clusters`)
  const path = yield* Path.Path
  const directory = yield* temporary
  const store = yield* openStore(directory)
  const history = History.make(sizes)
  const used = Peers.usedMeasures(history.hourOf(0, 0))
  const samples = Peers.emptySamples(hours * workloads, used)
  const rows = yield* Peers.sampleRows(path.join(directory, "rows.sqlite"), used)
  for (let index = 0; index < hours; index++) {
    for (let cluster = 0; cluster < clusters; cluster++) {
      const hour = history.hourOf(cluster, index)
      yield* store.close(hour)
      Peers.addTo(samples, hour, cluster * history.each)
      if (index >= hours - WEEK_HOURS) rows.insert(hour, cluster * history.each)
    }
  }

  const endMs = History.START_MS + hours * HOUR_MS
  const weekMs = endMs - WEEK_HOURS * HOUR_MS
  const weekFrom = (hours - WEEK_HOURS) * workloads
  const keys = new Map<Series, number>()
  const names = Array.from({ length: workloads }, (_, key) => History.seriesOf(key, 0))
  const eachKey = Int32Array.from(names.keys())
  const namespaces = [...new Set(names.map(({ namespace }) => namespace))]
  const namespaceOf = Int32Array.from(names, ({ namespace }) => namespaces.indexOf(namespace))

  const week = Effect.map(store.sums(history.names, { startMs: weekMs, endMs }), (sums) => Rows.fromSums(sums, keys))
  const weekScan = Effect.sync(() =>
    Rows.fromColumns(Peers.scan(samples, weekFrom, samples.length, workloads, eachKey), names)
  )
  const weekSql = Effect.sync(() => rows.sums(weekMs))
  const month = Effect.map(store.sums(history.names, { startMs: History.START_MS, endMs }), (sums) => {
    const totals = new Map<string, number>()
    for (const { columns, series } of sums) {
      for (const [place, { namespace }] of series.entries()) {
        totals.set(namespace, (totals.get(namespace) ?? 0) + (columns.cpuCostNanos[place] ?? 0))
      }
    }
    return totals
  })
  const monthScan = Effect.sync(() => Peers.scan(samples, 0, samples.length, namespaces.length, namespaceOf))

  const difference = Rows.difference(yield* week, yield* weekScan)
  for (let warm = 0; warm < 10; warm++) yield* Effect.andThen(week, month)
  const againstScan = yield* pairs(times, ms(week), ms(weekScan))
  const againstSql = yield* pairs(Math.ceil(times / 5), ms(week), ms(weekSql))
  const byNamespace = yield* pairs(times, ms(month), ms(monthScan))
  const held = yield* heldUp(Effect.repeat(Effect.andThen(week, month), { times }))

  const size = `${workloads} workloads, ${clusters} clusters`
  return [
    {
      claim: "7 days by workload, rows built and sorted",
      ours: { value: againstScan.ours, unit: "ms" },
      goal: { _tag: "absolute", atMost: 10 },
      note: `${size}; median of ${times}`
    },
    {
      claim: "the same, against the samples in memory",
      ours: { value: againstScan.ours, unit: "ms" },
      peer: { name: "one pass over typed arrays", value: againstScan.peer, unit: "ms" },
      goal: { _tag: "ratio", atMost: 0.3 },
      note: `${samples.length - weekFrom} samples, ${used.length} columns`
    },
    {
      claim: "the same, against SQL",
      ours: { value: againstSql.ours, unit: "ms" },
      peer: { name: "GROUP BY over hourly rows in SQLite", value: againstSql.peer, unit: "ms" },
      goal: { _tag: "ratio", atMost: 0.02 }
    },
    {
      claim: `${hours / 24} days by namespace`,
      ours: { value: byNamespace.ours, unit: "ms" },
      peer: { name: "one pass over typed arrays", value: byNamespace.peer, unit: "ms" },
      // A sum takes as long for few days as for many, a pass does not.
      goal: { _tag: "ratio", atMost: (0.1 * MONTH_HOURS) / hours },
      note: `${samples.length} samples; the goal is 0.1 for 30 days`
    },
    {
      claim: "figures agree with a plain sum",
      ours: { value: difference, unit: "count" },
      goal: { _tag: "absolute", atMost: 1e-9 },
      note: "largest relative difference of any figure of any row"
    },
    {
      claim: "event loop held up by reports",
      ours: { value: held, unit: "ms" },
      goal: { _tag: "absolute", atMost: 20 },
      note: "the longest time"
    }
  ]
})

export const closings = Effect.fnUntraced(function* (
  extent: Extent
): Effect.fn.Return<ReadonlyArray<Claim>, Failure, Needs> {
  const { workloads } = sizesOf(extent)
  const count = 24
  yield* Console.error(`${count} hours of ${workloads} workloads closed one by one`)
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = yield* temporary
  const history = History.make({ workloads, clusters: 1 })
  const rows = yield* Peers.sampleRows(path.join(directory, "rows.sqlite"), Peers.usedMeasures(history.hourOf(0, 0)))
  const { held, pair } = yield* Effect.scoped(
    Effect.gen(function* () {
      const store = yield* openStore(directory)
      const hours = Array.from({ length: count }, (_, index) => history.hourOf(0, index))
      const [next, nextRows] = [hours.values(), hours.values()]
      const close = Effect.suspend(() => store.close(next.next().value ?? history.hourOf(0, count)))
      const insert = Effect.sync(() => rows.insert(nextRows.next().value ?? history.hourOf(0, count), 0))
      let held = 0
      // The first ones name the series, and compile what the later ones run.
      for (let warm = 0; warm < count / 3; warm++) {
        held = Math.max(held, yield* heldUp(close))
        yield* insert
      }
      const pair = yield* pairs(count - count / 3, ms(close), ms(insert))
      return { held, pair }
    })
  )
  const { size } = yield* files.stat(path.join(directory, "cost.sqlite"))
  return [
    {
      claim: `closing one hour of ${workloads} workloads`,
      ours: { value: pair.ours, unit: "ms" },
      peer: { name: "inserting its rows in SQLite", value: pair.peer, unit: "ms" },
      goal: { _tag: "ratio", atMost: 0.25 },
      note: "one transaction each, both wait for the disk"
    },
    {
      claim: `bytes a workload and hour after ${count} h`,
      ours: { value: Number(size) / workloads / count, unit: "bytes" },
      goal: { _tag: "absolute", atMost: 40 },
      note: "the whole file, names and labels of the workloads with it"
    },
    {
      claim: "event loop held up by closings",
      ours: { value: held, unit: "ms" },
      goal: { _tag: "absolute", atMost: 20 },
      note: "the longest time, the first closing with it"
    }
  ]
})
