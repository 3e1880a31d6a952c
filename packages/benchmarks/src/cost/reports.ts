/**
 * Reports of the service, compared with a pass over the same samples in typed arrays, and with rows in SQLite.
 */
import { Effect } from "effect"
import type { Claim } from "../claim/Claim.ts"
import * as Difference from "../claim/Difference.ts"
import { median, type Pair, pairs, timed } from "../claim/Measure.ts"
import type { Extent } from "../claim/Suite.ts"
import * as Expected from "./expected.ts"
import { overHttp } from "./http.ts"
import * as Questions from "./questions.ts"
import * as ReportedHistory from "./reportedHistory.ts"
import * as Turns from "./turns.ts"

const WEEK_HOURS = 168
const MONTH_HOURS = 720
/** The default page size. */
const PAGE = 500
/** Turns with windows far apart. */
const FAR_APART = [0, 7, 13]

interface Sizes extends ReportedHistory.Sizes {
  readonly times: number
  readonly warm: number
}

/** Returns the sizes. There are more windows than turns, so no two turns of a contest use the same window. */
const sizesOf = ({ quick }: Extent): Sizes => ({
  clusters: 20,
  shortHours: WEEK_HOURS,
  limit: PAGE,
  ...(quick
    ? { workloads: 2_000, longHours: WEEK_HOURS, moves: 14, times: 9, warm: 5 }
    : { workloads: 10_000, longHours: MONTH_HOURS, moves: 48, times: 31, warm: 15 })
})

/** Measures a question against a peer. */
const against = (
  { ours }: Questions.Question,
  turns: { readonly times: number; readonly warm: number },
  peer: (turn: number) => Expected.Answer
) =>
  pairs(turns, {
    ours: (turn) => timed(ours(turn)),
    peer: (turn) => timed(Effect.sync(() => peer(turn))),
    difference: Difference.between
  })

export const reports = Effect.fnUntraced(function* (extent: Extent) {
  const sizes = sizesOf(extent)
  const history = yield* ReportedHistory.make(sizes)
  const questions = Questions.of(history.report, history)
  const { byClusterAndNamespace, byNamespace, byTeam, deployments, page, whole } = questions
  const inSql = (rows: "hourly" | "daily") => (turn: number) =>
    Expected.workloads(
      ReportedHistory.sql(history, ReportedHistory.windowOf(history, WEEK_HOURS, turn), rows),
      history.named,
      { limit: PAGE }
    )
  const few = { times: Math.ceil(sizes.times / 8), warm: 1 }
  const different = [page, deployments, byClusterAndNamespace, byTeam]
  const together = (turn: number) =>
    Effect.all(
      different.map(({ ours }) => ours(turn)),
      { concurrency: "unbounded" }
    )
  const alone = Effect.fnUntraced(function* (turn: number) {
    let sum = 0
    for (const { ours } of different) sum += (yield* timed(ours(turn)))[0]
    return [sum / different.length, undefined] as const
  })

  const agreed = yield* Questions.difference(Object.values(questions), FAR_APART)
  const contests = {
    scan: yield* against(page, sizes, page.expected),
    wholeScan: yield* against(whole, sizes, whole.expected),
    hourlySql: yield* against(page, few, inSql("hourly")),
    dailySql: yield* against(page, { times: sizes.times, warm: 1 }, inSql("daily")),
    namespaces: yield* against(byNamespace, sizes, byNamespace.expected)
  }
  const atOnce = yield* pairs(sizes, { ours: (turn) => timed(together(turn)), peer: alone })
  const turns: Array<Turns.Turn> = []
  for (let turn = 0; turn < sizes.times; turn++) turns.push(yield* Turns.longest(together(turn)))
  const largest = Math.max(agreed, ...Object.values(contests).map(({ difference }) => difference))
  const http = yield* overHttp(history, extent)
  return [
    ...claimsOf(sizes, contests),
    Questions.agreement(largest, sizes.workloads),
    ...claimsTogether(atOnce, turns),
    ...http
  ]
})

interface Contests {
  readonly scan: Pair
  readonly wholeScan: Pair
  readonly hourlySql: Pair
  readonly dailySql: Pair
  readonly namespaces: Pair
}

const ARRAYS = "one pass over typed arrays"

const claimsOf = (
  { clusters, longHours, moves, times, workloads }: Sizes,
  { dailySql, hourlySql, namespaces, scan, wholeScan }: Contests
): ReadonlyArray<Claim> => [
  {
    claim: `7 days by workload: totals of ${workloads}, the ${PAGE} most expensive as rows`,
    ours: { value: scan.ours, unit: "ms" },
    goal: { _tag: "absolute", atMost: 10 },
    note: `${clusters} clusters, ${longHours + moves} hours kept and an open one; each call begins an hour later, up to ${moves / 2} h before and after; median of ${times}`
  },
  {
    claim: "the same, against the samples in memory",
    ours: { value: scan.ours, unit: "ms" },
    peer: { name: ARRAYS, value: scan.peer, unit: "ms" },
    goal: { _tag: "ratio", atMost: 0.3 },
    note: `${WEEK_HOURS * workloads} samples in the mean`
  },
  {
    claim: `the same with all ${workloads} rows, built and sorted`,
    ours: { value: wholeScan.ours, unit: "ms" },
    peer: { name: ARRAYS, value: wholeScan.peer, unit: "ms" },
    goal: { _tag: "ratio", atMost: 0.3 },
    note: "as an export writes them"
  },
  {
    claim: "the first page, against SQL",
    ours: { value: hourlySql.ours, unit: "ms" },
    peer: { name: "GROUP BY over hourly rows in SQLite", value: hourlySql.peer, unit: "ms" },
    goal: { _tag: "ratio", atMost: 0.02 }
  },
  {
    claim: "the same, against SQL over a roll-up",
    ours: { value: dailySql.ours, unit: "ms" },
    peer: { name: "GROUP BY over daily rows, hourly at both ends", value: dailySql.peer, unit: "ms" },
    goal: { _tag: "ratio", atMost: 0.3 },
    note: "whole UTC days are summed before; the goal is that against the samples in memory"
  },
  {
    claim: `${longHours / 24} days by namespace`,
    ours: { value: namespaces.ours, unit: "ms" },
    peer: { name: ARRAYS, value: namespaces.peer, unit: "ms" },
    // The report takes the same time for few and many days; the pass does not.
    goal: { _tag: "ratio", atMost: Math.round((10 * MONTH_HOURS) / longHours) / 100 },
    note: `${longHours * workloads} samples in the mean; the goal is 0.1 for 30 days`
  }
]

const claimsTogether = (atOnce: Pair, turns: ReadonlyArray<Turns.Turn>): ReadonlyArray<Claim> => [
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
