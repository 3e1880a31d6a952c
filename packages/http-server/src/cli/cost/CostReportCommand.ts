/**
 * `quarterdeck cost`: the costs of workloads, the most expensive first.
 */
import { AggregatedCosts } from "@quarterdeck/cost/Aggregate"
import { type CostRow, type CostTotals, type PreviousCosts, WorkloadCosts } from "@quarterdeck/cost/CostRow"
import { Clock, Effect } from "effect"
import { type Command, Flag } from "effect/cli"
import * as ApiClient from "../request/ApiClient.ts"
import * as Connection from "../request/Connection.ts"
import * as CostFlags from "./CostFlags.ts"
import * as CostNotes from "./CostNotes.ts"
import * as CostTable from "./CostTable.ts"
import * as CostText from "./CostText.ts"
import * as Output from "../print/Output.ts"
import * as Pages from "../request/Pages.ts"
import * as PlainText from "../print/PlainText.ts"
import * as Print from "../print/Print.ts"
import { headersOf, historyTargetFlag } from "../request/TargetFlag.ts"

const PATH = "/detailedCostReport/getWorkloads"
const AGGREGATED_PATH = "/detailedCostReport/getAggregated"

/** Maximum namespaces that a note names. */
const NAMED = 10

export const reportFlags = {
  cluster: historyTargetFlag,
  ...CostFlags.window,
  ...CostFlags.filter,
  compare: CostFlags.compare,
  ...CostFlags.lengthOf("csv and focus"),
  output: Flag.Literals("output", ["table", "wide", "name", "json", "yaml", "csv", "focus"]).pipe(
    Flag.withAlias("o"),
    Flag.withDescription(
      "Output format: table, wide (a table with more columns), name (cluster/namespace/type/name), json, yaml, csv or focus (CSV with the columns of FOCUS, the FinOps specification)"
    ),
    Flag.withDefault("table")
  ),
  url: Connection.urlFlag
}

type Flags = Command.Command.Config.Infer<typeof reportFlags>

/**
 * Prints the report.
 *
 * **Shape** `csv` and `focus` are files that the server makes, with every row unless a limit is given. A file contains no
 * coverage, so an earlier request reads the coverage for the notes.
 */
export const report = Effect.fn("cost")(function* ({ cluster, compare, output, url, ...flags }: Flags) {
  const connection = yield* Connection.read(url)
  const request = {
    method: "POST" as const,
    path: PATH,
    flags: CostFlags.flagOf,
    headers: headersOf(connection, cluster),
    body: { ...(yield* CostFlags.bodyOf(flags)), ...(compare ? { compare } : {}) }
  }
  const window = yield* CostFlags.queryOf(flags)
  const page = (query: ReadonlyArray<readonly [string, string]>) =>
    ApiClient.call(connection, WorkloadCosts, { ...request, query: [...window, ...query] })

  if (output === "csv" || output === "focus") {
    const cut = yield* CostFlags.fileQueryOf(flags)
    const { clusters } = yield* page([["limit", "1"]])
    const query = [...window, ...cut, ["format", output] as const]
    yield* Print.lines(ApiClient.download(connection, { ...request, query }))
    return yield* Effect.forEach(CostNotes.lines(clusters, yield* Clock.currentTimeMillis), Print.note, {
      discard: true
    })
  }

  const { pages, rest } = yield* Pages.read(yield* CostFlags.rowsOf(flags), page, (reply) => reply.aggregatedWorkloads)
  const rows = pages.flatMap((reply) => reply.aggregatedWorkloads)
  const head = pages.find(({ partial }) => partial) ?? pages.at(-1)
  if (head === undefined) return
  const { clusters, currency, partial, previous, totals } = head
  const whole = {
    ...{ aggregatedWorkloads: rows, totals, ...(previous === undefined ? {} : { previous }) },
    ...{ window: head.window, currency, clusters, partial }
  }
  const table = (isWide: boolean) =>
    tableOf({
      rows,
      totals: CostNotes.isSeen(clusters) ? totals : undefined,
      previous,
      count: countOf(clusters),
      window: CostText.window(head.window, currency, previous),
      isWide
    })
  switch (output) {
    case "table":
    case "wide":
      yield* Print.output(table(output === "wide"))
      break
    case "name":
      yield* Print.output(rows.map(({ id }) => `${PlainText.oneLine(id)}\n`).join(""))
      break
    case "json":
    case "yaml":
      yield* Print.output(Output.document(output, { ...whole, ...(rest === undefined ? {} : { nextCursor: rest }) }))
  }
  if (rest !== undefined) yield* Print.note(CostNotes.rest("workloads", rows.length))
  if (rows.length === 0) {
    yield* Print.note(CostNotes.nothingFound(clusters, cluster))
    const { namespaces, ...others } = request.body
    if (namespaces !== undefined && (output === "table" || output === "wide") && CostNotes.isSeen(clusters))
      yield* noteNamespaces((query) =>
        ApiClient.call(connection, AggregatedCosts, {
          ...request,
          path: AGGREGATED_PATH,
          body: { ...others, groupBy: ["namespace"] },
          query: [...window, ...query]
        })
      )
  }
  const notes = [
    ...CostNotes.lines(clusters, yield* Clock.currentTimeMillis),
    ...CostNotes.notCompared(previous, clusters)
  ]
  yield* Effect.forEach(notes, Print.note, { discard: true })
})

/** Notes which namespaces have costs, the most expensive first, if the requested namespaces have none. */
const noteNamespaces = Effect.fnUntraced(function* <E, R>(
  page: (query: ReadonlyArray<readonly [string, string]>) => Effect.Effect<AggregatedCosts, E, R>
) {
  const { pages, rest } = yield* Pages.read(NAMED, page, (reply) => ("rows" in reply ? reply.rows : []))
  const rows = pages.flatMap((reply) => ("rows" in reply ? reply.rows : []))
  const names = rows.flatMap(({ group }) => group.namespace ?? [])
  const more = rest === undefined ? "" : " and more"
  yield* Print.note(
    names.length === 0
      ? "no namespace has costs in this window"
      : `namespaces with costs in this window: ${names.map(PlainText.oneLine).join(", ")}${more}`
  )
})

const TITLES = ["CLUSTER", "NAMESPACE", "TYPE", "NAME"]

const countOf = (clusters: ReadonlyArray<{ readonly count: number }>): number =>
  clusters.reduce((sum, { count }) => sum + count, 0)

interface Report {
  readonly rows: ReadonlyArray<CostRow>
  /** Absent if no hour of the window is covered. */
  readonly totals: CostTotals | undefined
  readonly previous: PreviousCosts | undefined
  /** Number of matching workloads, shown or not. */
  readonly count: number
  readonly window: string
  readonly isWide: boolean
}

const tableOf = ({ count, isWide, previous, rows, totals, window }: Report): string => {
  const lines = rows.map((row): CostTable.Line => ({
    place: [row.cluster, row.namespace, row.workloadType, row.workloadName],
    figures: row,
    previous: row.previous,
    hourlyCost: row.hourlyCost,
    ...(row.recommendationDays === 0 ? {} : { recommended: row })
  }))
  const all =
    rows.length < count
      ? `${rows.length} of ${count} workloads shown`
      : count === 1
        ? "1 workload"
        : `${count} workloads`
  const total = { place: ["TOTAL", "", "", all], figures: totals, previous: previous?.totals }
  return `${CostTable.render(TITLES, lines, total, isWide)}\n${window}\n`
}
