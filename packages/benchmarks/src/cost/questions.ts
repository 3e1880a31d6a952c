/**
 * The report questions, and the expected answers of the peer.
 */
import type { CostReport } from "@quarterdeck/cost/CostReport"
import { Effect, Stream } from "effect"
import type { Claim } from "../claim/Claim.ts"
import * as Difference from "../claim/Difference.ts"
import * as Expected from "./expected.ts"
import * as ReportedHistory from "./reportedHistory.ts"
import * as Service from "./service.ts"

type Report = CostReport["Service"]
type Failure =
  | Effect.Error<ReturnType<typeof Service.question>>
  | Effect.Error<ReturnType<Report["getWorkloads"]>>
  | Effect.Error<ReturnType<Report["getAggregated"]>>
  | Effect.Error<ReturnType<Report["allWorkloads"]>>

/** A question, for the window of each turn. */
export interface Question {
  readonly ours: (turn: number) => Effect.Effect<Expected.Answer, Failure>
  readonly expected: (turn: number) => Expected.Answer
}

/** Makes the questions for a report of a history. */
export const of = (report: Report, history: ReportedHistory.ReportedHistory) => {
  const { limit, longHours, named, shortHours } = history
  const window = (hours: number, turn: number) => ReportedHistory.windowOf(history, hours, turn)
  const scan = (hours: number, turn: number) => ReportedHistory.scan(history, window(hours, turn))
  const asked = (hours: number, turn: number) =>
    Service.question(history.history.names, window(hours, turn).fromMs, limit)

  const page = (hours: number, workloadTypes?: ReadonlyArray<string>): Question => ({
    ours: (turn) =>
      Effect.map(
        Effect.flatMap(asked(hours, turn), (query) =>
          report.getWorkloads({ ...query, filter: workloadTypes === undefined ? {} : { workloadTypes } })
        ),
        ({ aggregatedWorkloads, totals }) => ({ rows: aggregatedWorkloads, totals })
      ),
    expected: (turn) =>
      Expected.workloads(scan(hours, turn), named, {
        limit,
        isChosen: ({ workloadType }) => workloadTypes?.includes(workloadType) ?? true
      })
  })

  const groups = (hours: number, by: Expected.By): Question => {
    const grouping = { ...Expected.grouping(named, by), limit }
    return {
      ours: (turn) =>
        Effect.map(
          Effect.flatMap(asked(hours, turn), (query) => report.getAggregated({ ...query, groupBy: Object.keys(by) })),
          (reply) => ({ rows: "rows" in reply ? reply.rows : reply.buckets, totals: reply.totals })
        ),
      expected: (turn) => Expected.groups(scan(hours, turn), named, grouping)
    }
  }

  const whole: Question = {
    ours: (turn) =>
      Effect.scoped(
        Effect.gen(function* () {
          const { rows } = yield* report.allWorkloads(yield* asked(shortHours, turn))
          return { rows: yield* Stream.runCollect(rows) }
        })
      ),
    expected: (turn) => ({ rows: Expected.workloads(scan(shortHours, turn), named).rows })
  }

  return {
    page: page(shortHours),
    whole,
    byNamespace: groups(longHours, { namespace: ({ namespace }) => namespace }),
    deployments: page(longHours, ["Deployment"]),
    byClusterAndNamespace: groups(shortHours, {
      cluster: ({ cluster }) => cluster,
      namespace: ({ namespace }) => namespace
    }),
    byTeam: groups(longHours, { "label:team": ({ team }) => team })
  }
}

/** Returns the largest difference of the answers to some questions, over some turns. */
export const difference = (questions: ReadonlyArray<Question>, turns: ReadonlyArray<number>) =>
  Effect.map(
    Effect.forEach(questions, ({ expected, ours }) =>
      Effect.forEach(turns, (turn) => Effect.map(ours(turn), (answer) => Difference.between(answer, expected(turn))))
    ),
    (found) => Math.max(...found.flat())
  )

const BILLION = 1e9

/** Makes the claim that answers agree with the peer's. **Units** relative difference, see {@link Difference.between}. */
export const agreement = (largest: number, workloads: number): Claim => ({
  claim: "pages, totals and groups agree with a peer that shares no code, parts of a billion",
  ours: { value: largest * BILLION, unit: "count" },
  goal: { _tag: "absolute", atMost: 1 },
  note: `largest difference of any figure of all ${workloads} rows, of pages, groups and totals, in every turn; and the same order`
})
