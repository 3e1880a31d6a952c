/**
 * Reports of the service, against passes over the same samples in typed arrays and against rows in SQLite.
 */
import type { WorkloadsQuery } from "@quarterdeck/cost/CostReport"
import { HOUR_MS } from "@quarterdeck/cost/Units"
import { Console, Effect, Path, Stream } from "effect"
import type { Claim } from "../Claim.ts"
import { median, pairs, timed } from "../Measure.ts"
import type { Extent } from "../Suite.ts"
import * as History from "./history.ts"
import { overHttp } from "./http.ts"
import * as PeerRow from "./peerRow.ts"
import * as Peers from "./peers.ts"
import * as Service from "./service.ts"
import * as Turns from "./turns.ts"

const WEEK_HOURS = 168
const MONTH_HOURS = 720
/** What a caller gets who asks for no other number. */
const PAGE = 500

interface Sizes {
  readonly workloads: number
  readonly clusters: number
  readonly hours: number
  readonly times: number
}

const sizesOf = ({ quick }: Extent): Sizes =>
  quick
    ? { workloads: 10_000, clusters: 20, hours: 192, times: 9 }
    : { workloads: 10_000, clusters: 20, hours: MONTH_HOURS, times: 31 }

const ms = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<number, E, R> =>
  Effect.map(timed(effect), ([took]) => took)

/** Fills a history, and the same samples as the peers keep them. */
const prepare = Effect.fnUntraced(function* ({ clusters, hours, workloads }: Sizes) {
  yield* Console.error(`${hours} hours of ${workloads} workloads in ${clusters} clusters`)
  const path = yield* Path.Path
  const directory = yield* Service.temporary
  const endMs = yield* Service.recentEnd
  const startMs = endMs - hours * HOUR_MS
  const weekMs = endMs - WEEK_HOURS * HOUR_MS
  const history = History.make({ workloads, clusters, startMs })
  const used = Peers.usedMeasures(history.hourOf(0, 0))
  const samples = Peers.emptySamples(hours * workloads, used)
  const sampleRows = yield* Peers.sampleRows(path.join(directory, "rows.sqlite"), used)
  yield* Service.fill(directory, history, hours, (hour, first, index) => {
    Peers.addTo(samples, hour, first)
    if (index >= hours - WEEK_HOURS) sampleRows.insert(hour, first)
  })
  const { report } = yield* Service.open(directory)

  const weekFrom = (hours - WEEK_HOURS) * workloads
  const asked = Service.question(history.names, { startMs: weekMs, endMs }, PAGE)
  return { asked, directory, endMs, history, report, sampleRows, samples, startMs, used, weekFrom, weekMs }
})
type Prepared = Effect.Success<ReturnType<typeof prepare>>

/** What is measured: reports, and what their peers do for the same. */
const runsOf = ({ workloads }: Sizes, prepared: Prepared) => {
  const { asked, endMs, history, report, sampleRows, samples, startMs, weekFrom, weekMs } = prepared
  const named = Array.from({ length: workloads }, (_, workload) => PeerRow.named(workload, history.each))
  const eachKey = Int32Array.from(named.keys())
  const namespaces = [...new Set(named.map(({ namespace }) => namespace))]
  const namespaceOf = Int32Array.from(named, ({ namespace }) => namespaces.indexOf(namespace))
  const askedMonth: WorkloadsQuery = { ...asked, range: { from: String(startMs), to: String(endMs) } }
  const week = report.getWorkloads(asked)
  const weekScan = (limit: number) =>
    Effect.sync(() => Peers.report(Peers.scan(samples, weekFrom, samples.length, workloads, eachKey), named, limit))
  const weekSql = Effect.sync(() => Peers.report(sampleRows.sums(weekMs, workloads), named, PAGE))
  const whole = Effect.scoped(Effect.flatMap(report.allWorkloads(asked), ({ rows }) => Stream.runCollect(rows)))
  const month = report.getAggregated({ ...askedMonth, groupBy: ["namespace"] })
  const monthScan = Effect.sync(() => {
    const columns = Peers.scan(samples, 0, samples.length, namespaces.length, namespaceOf)
    return PeerRow.totalNanos(columns, namespaces.length).toSorted()
  })

  const different: ReadonlyArray<Effect.Effect<unknown, Effect.Error<typeof week> | Effect.Error<typeof month>>> = [
    week,
    report.getWorkloads({ ...askedMonth, filter: { workloadTypes: ["Deployment"] } }),
    report.getAggregated({ ...asked, groupBy: ["cluster", "namespace"] }),
    report.getAggregated({ ...askedMonth, groupBy: ["label:team"] })
  ]
  const together = Effect.all(different, { concurrency: "unbounded" })
  const alone = Effect.map(
    Effect.forEach(different, ms),
    (took) => took.reduce((sum, each) => sum + each, 0) / different.length
  )
  return { alone, month, monthScan, together, week, weekScan, weekSql, whole }
}

export const reports = Effect.fnUntraced(function* (extent: Extent) {
  const sizes = sizesOf(extent)
  const { times, workloads } = sizes
  const prepared = yield* prepare(sizes)
  const { alone, month, monthScan, together, week, weekScan, weekSql, whole } = runsOf(sizes, prepared)
  const difference = PeerRow.difference(yield* whole, (yield* weekScan(workloads)).rows)
  for (let warm = 0; warm < 15; warm++) yield* Effect.andThen(together, Effect.andThen(month, whole))
  const againstScan = yield* pairs(times, ms(week), ms(weekScan(PAGE)))
  const wholeAgainstScan = yield* pairs(times, ms(whole), ms(weekScan(workloads)))
  const againstSql = yield* pairs(Math.ceil(times / 8), ms(week), ms(weekSql))
  const byNamespace = yield* pairs(times, ms(month), ms(monthScan))
  const atOnce = yield* pairs(times, ms(together), alone)
  const turns = yield* Effect.replicateEffect(Turns.longest(together), times)
  const http = yield* overHttp(prepared)
  const measured: Measured = { difference, againstScan, wholeAgainstScan, againstSql, byNamespace, atOnce, turns }
  return [...claimsOf(sizes, prepared, measured), http]
})

/** Medians of pairs. **Units** milliseconds. */
interface Measured {
  readonly difference: number
  readonly againstScan: Pair
  readonly wholeAgainstScan: Pair
  readonly againstSql: Pair
  readonly byNamespace: Pair
  readonly atOnce: Pair
  readonly turns: ReadonlyArray<Turns.Turn>
}

type Pair = Effect.Success<ReturnType<typeof pairs>>

const claimsOf = (
  { clusters, hours, times, workloads }: Sizes,
  { samples, used, weekFrom }: Prepared,
  { againstScan, againstSql, atOnce, byNamespace, difference, turns, wholeAgainstScan }: Measured
): ReadonlyArray<Claim> => [
  {
    claim: `7 days by workload: totals of ${workloads}, the dearest ${PAGE} as rows`,
    ours: { value: againstScan.ours, unit: "ms" },
    goal: { _tag: "absolute", atMost: 10 },
    note: `${clusters} clusters, ${hours} hours kept; median of ${times}`
  },
  {
    claim: "the same, against the samples in memory",
    ours: { value: againstScan.ours, unit: "ms" },
    peer: { name: "one pass over typed arrays", value: againstScan.peer, unit: "ms" },
    goal: { _tag: "ratio", atMost: 0.3 },
    note: `${samples.length - weekFrom} samples, ${used.length} columns`
  },
  {
    claim: `the same with all ${workloads} rows, built and sorted`,
    ours: { value: wholeAgainstScan.ours, unit: "ms" },
    peer: { name: "one pass over typed arrays", value: wholeAgainstScan.peer, unit: "ms" },
    goal: { _tag: "ratio", atMost: 0.3 },
    note: "as an export writes them"
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
    claim: "figures agree with a plain sum, parts of a billion",
    ours: { value: difference * 1e9, unit: "count" },
    goal: { _tag: "absolute", atMost: 1 },
    note: `largest difference of any figure of the ${workloads} rows, and the same order`
  },
  {
    claim: "four different reports at once, all done",
    ours: { value: atOnce.ours, unit: "ms" },
    peer: { name: "one alone, the mean of the four", value: atOnce.peer, unit: "ms" },
    goal: { _tag: "ratio", atMost: 3 }
  },
  {
    claim: "event loop held up meanwhile",
    ours: { value: median(turns.map(({ busy }) => busy)), unit: "ms" },
    goal: { _tag: "absolute", atMost: 20 },
    note: turnNote(turns)
  }
]

const turnNote = (turns: ReadonlyArray<Turns.Turn>): string => {
  const most = (of: (turn: Turns.Turn) => number): string => Math.max(...turns.map(of)).toFixed(1)
  return `longest turn, processor time, median of ${turns.length} runs; at most ${most(({ busy }) => busy)} ms, by the clock ${most(({ late }) => late)} ms`
}
