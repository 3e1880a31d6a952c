/**
 * `quarterdeck cost by`: costs summed by cluster, namespace, kind, workload or labels.
 */
import { AggregatedCosts, type AggregateRow, type Bucket, GroupBy, Idle, StepSize } from "@quarterdeck/cost/Aggregate"
import { Clock, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as ApiClient from "../request/ApiClient.ts"
import * as Connection from "../request/Connection.ts"
import * as CostFlags from "./CostFlags.ts"
import * as CostNotes from "./CostNotes.ts"
import * as CostTable from "./CostTable.ts"
import * as CostText from "./CostText.ts"
import * as Output from "../print/Output.ts"
import { outputFlag } from "../print/OutputFlag.ts"
import * as Pages from "../request/Pages.ts"
import * as Print from "../print/Print.ts"
import { headersOf, historyTargetFlag } from "../request/TargetFlag.ts"

const PATH = "/detailedCostReport/getAggregated"

const isGroupBy = Schema.is(GroupBy)

export const costByCommand = Command.make(
  "by",
  {
    groups: Argument.String("groups").pipe(
      Argument.withDescription("cluster, namespace, kind, workload or label:KEY, joined by commas"),
      Argument.map((text) => text.split(",")),
      Argument.filter(
        (keys) => isGroupBy(keys),
        () => "one or more of cluster, namespace, kind, workload and label:KEY, each once, joined by commas"
      )
    ),
    step: Flag.Literals("step", StepSize.literals).pipe(
      Flag.withDescription("Split the window into hours, days or weeks in UTC"),
      Flag.optional
    ),
    idle: Flag.Literals("idle", Idle.literals).pipe(
      Flag.withDescription(
        "Costs outside workloads: hide (default); show them as rows; share idle costs among the workloads"
      ),
      Flag.optional
    ),
    cluster: historyTargetFlag,
    ...CostFlags.window,
    ...CostFlags.filter,
    compare: CostFlags.compare,
    ...CostFlags.lengthOf("csv"),
    output: outputFlag,
    url: Connection.urlFlag
  },
  Effect.fn("cost by")(function* ({ cluster, compare, groups, idle, output, step, url, ...flags }) {
    const connection = yield* Connection.read(url)
    const request = {
      method: "POST" as const,
      path: PATH,
      flags: CostFlags.flagOf,
      headers: headersOf(connection, cluster),
      body: {
        groupBy: groups,
        ...Option.match(step, { onNone: () => ({}), onSome: (stepSize) => ({ stepSize }) }),
        ...Option.match(idle, { onNone: () => ({}), onSome: (mode) => ({ idle: mode }) }),
        ...(yield* CostFlags.bodyOf(flags)),
        ...(compare ? { compare } : {})
      }
    }
    const window = yield* CostFlags.queryOf(flags)
    const page = (query: ReadonlyArray<readonly [string, string]>) =>
      ApiClient.call(connection, AggregatedCosts, { ...request, query: [...window, ...query] })

    if (output === "csv") {
      const cut = yield* CostFlags.fileQueryOf(flags)
      const { clusters } = yield* page([["limit", "1"]])
      const query = [...window, ...cut, ["format", "csv"] as const]
      yield* Print.lines(ApiClient.download(connection, { ...request, query }))
      return yield* Effect.forEach(CostNotes.lines(clusters, yield* Clock.currentTimeMillis), Print.note, {
        discard: true
      })
    }

    const { pages, rest } = yield* Pages.read(yield* CostFlags.rowsOf(flags), page, groupsOf)
    const head = pages.find(({ partial }) => partial) ?? pages.at(-1)
    if (head === undefined) return
    const { clusters, currency, partial, previous, totals } = head
    const rows = pages.flatMap((reply) => ("rows" in reply ? reply.rows : []))
    const buckets = merged(pages.flatMap((reply) => ("buckets" in reply ? reply.buckets : [])))
    const isSeen = CostNotes.isSeen(clusters)
    const lines = Option.isNone(step)
      ? linesOf(groups, { rows, clusters })
      : isSeen
        ? buckets.flatMap((bucket) => linesOf(groups, bucket, bucket.start))
        : []
    const whole = {
      ...{ totals, ...(previous === undefined ? {} : { previous }) },
      ...{ window: head.window, currency, clusters, partial }
    }
    const total = { figures: isSeen ? totals : undefined, previous: previous?.totals }
    yield* Print.output(
      output === "json" || output === "yaml"
        ? Output.document(output, {
            ...(Option.isSome(step) ? { buckets } : { rows }),
            ...whole,
            ...(rest === undefined ? {} : { nextCursor: rest })
          })
        : `${tableOf(groups, lines, total, Option.isSome(step))}\n${CostText.window(head.window, currency, previous)}\n`
    )
    const shown = pages.reduce((sum, reply) => sum + groupsOf(reply).length, 0)
    if (rest !== undefined) yield* Print.note(CostNotes.rest("groups", shown))
    if (shown === 0) yield* Print.note(CostNotes.nothingFound(clusters, cluster))
    yield* Effect.forEach(
      [
        ...CostNotes.lines(clusters, yield* Clock.currentTimeMillis),
        ...CostNotes.notCompared(previous, clusters),
        ...CostNotes.steps(buckets)
      ],
      Print.note,
      { discard: true }
    )
  })
).pipe(
  Command.withDescription(
    "Sum costs by cluster, namespace, kind, workload or labels, for the whole window or by step."
  ),
  Command.withShortDescription("Sum costs by cluster, namespace, kind, workload or labels"),
  Command.withExamples([
    { command: "quarterdeck cost by namespace --cluster '*' --range 30d" },
    {
      command: "quarterdeck cost by cluster --cluster '*' --idle show",
      description: "With idle costs, so that a cluster's rows sum to its bill"
    },
    {
      command: "quarterdeck cost by label:team,namespace --idle share --from 2026-03-01 --to 2026-04-01 -o csv",
      description: "A month by team, with idle costs shared among the teams"
    },
    { command: "quarterdeck cost by cluster --cluster '*' --step day --range 2w" },
    {
      command: "quarterdeck cost by namespace --cluster '*' --range 30d --compare",
      description: "Which namespaces cost more or less than in the 30 days before"
    }
  ])
)

/** Returns the distinct groups of a page. */
const groupsOf = (page: typeof AggregatedCosts.Type): ReadonlyArray<unknown> =>
  "rows" in page
    ? page.rows
    : [...new Set(page.buckets.flatMap(({ rows }) => rows.map((row) => JSON.stringify([besideOf(row), row.group]))))]

/** Merges the buckets of all pages. Each page has only its own groups. */
const merged = (buckets: ReadonlyArray<Bucket>): ReadonlyArray<Bucket> => {
  const byStart = new Map<string, Bucket>()
  for (const bucket of buckets) {
    const earlier = byStart.get(bucket.start)
    byStart.set(bucket.start, { ...bucket, rows: [...(earlier?.rows ?? []), ...bucket.rows] })
  }
  return [...byStart.values()]
}

const WORKLOADS = "workloads"

/** Returns what caused a group's costs, for the column COST OF. **Example** `workloads`, `idle nodes` */
const besideOf = ({ idle, management, unmounted }: AggregateRow): string => {
  if (idle === true) return "idle nodes"
  if (unmounted === true) return "unmounted volumes and load balancers"
  return management === true ? "control plane" : WORKLOADS
}

interface GroupLine extends CostTable.Line {
  readonly beside: string
}

/**
 * Makes the lines of a window, or of the step that starts at `start`.
 *
 * **Shape** a group without a value, such as a label that is not set, is `-`. A line without figures stands for missing
 * costs: if the groups are clusters, one line for each cluster without a covered hour; else one line for a step without
 * a covered hour.
 */
const linesOf = (
  groups: ReadonlyArray<string>,
  { clusters, rows }: Pick<Bucket, "clusters" | "rows">,
  start?: string
): ReadonlyArray<GroupLine> => {
  const lineOf = (group: AggregateRow["group"], beside: string, figures?: AggregateRow): GroupLine => ({
    place: [...(start === undefined ? [] : [CostText.minute(start)]), ...groups.map((key) => group[key] ?? "-")],
    beside,
    figures,
    previous: figures?.previous
  })
  const seen = rows.map((row) => lineOf(row.group, besideOf(row), row))
  if (groups.every((key) => key === "cluster")) {
    const names = new Set(rows.map(({ group }) => group["cluster"]))
    const unseen = clusters.filter(({ hoursCovered, name }) => hoursCovered === 0 && !names.has(name))
    return [...seen, ...unseen.map(({ name }) => lineOf({ cluster: name }, WORKLOADS))]
  }
  const isUnseen = start !== undefined && rows.length === 0 && !CostNotes.isSeen(clusters)
  return isUnseen ? [lineOf({}, WORKLOADS)] : seen
}

/** Makes the table of groups. It has the column COST OF if some costs belong to no workload. */
const tableOf = (
  groups: ReadonlyArray<string>,
  lines: ReadonlyArray<GroupLine>,
  sums: Pick<CostTable.Line, "figures" | "previous">,
  isStepped: boolean
): string => {
  const titles = [
    ...(isStepped ? ["START (UTC)"] : []),
    ...groups.map((key) => (key.startsWith("label:") ? key : key.toUpperCase()))
  ]
  const total = { place: ["TOTAL"], ...sums }
  if (lines.every(({ beside }) => beside === WORKLOADS)) return CostTable.render(titles, lines, total)
  const withOwner = lines.map(({ beside, place, ...line }) => ({ ...line, place: [...place, beside] }))
  return CostTable.render([...titles, "COST OF"], withOwner, total)
}
