/**
 * `quarterdeck status`: the overview of one, several or all clusters.
 */
import { Overview } from "@quarterdeck/contract/OverviewGroup"
import { Clock, Effect, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as Age from "../print/Age.ts"
import * as ApiClient from "../request/ApiClient.ts"
import * as Connection from "../request/Connection.ts"
import * as CoverageNotes from "../print/CoverageNotes.ts"
import * as Output from "../print/Output.ts"
import * as PlainText from "../print/PlainText.ts"
import * as Print from "../print/Print.ts"
import { headersOf, targetFlag } from "../request/TargetFlag.ts"

const flags = {
  cluster: targetFlag,
  output: Flag.Literals("output", ["text", "json", "yaml"]).pipe(
    Flag.withAlias("o"),
    Flag.withDescription("text: a summary and a table; json, yaml: the whole reply"),
    Flag.withDefault("text")
  ),
  url: Connection.urlFlag
}

type Row = Overview["attention"][number]

const attention = (nowMs: number): ReadonlyArray<Output.Column<Row>> => [
  { title: "CLUSTER", cell: (row) => row.cluster },
  { title: "NAMESPACE", cell: (row) => row.namespace },
  { title: "KIND", cell: (row) => row.kind },
  { title: "NAME", cell: (row) => row.name },
  { title: "STATUS", cell: (row) => row.status },
  { title: "REASON", cell: (row) => row.reason ?? "" },
  { title: "SINCE", isRare: true, cell: (row) => (row.since === undefined ? "" : Age.since(row.since, nowMs)) }
]

/** Prints counts that are not 0. **Example** `2 ok, 1 failed` */
const countsOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .flatMap(([word, count]) => (count === 0 ? [] : [`${count} ${word}`]))
    .join(", ") || "none"

const countOf = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

const costOf = ({ currency, last7d, previous7d, today }: NonNullable<Overview["cost"]>): string => {
  const change = previous7d === null || previous7d === 0 ? undefined : Math.round((last7d / previous7d - 1) * 100)
  const compared = change === undefined ? "" : ` (${change > 0 ? "+" : ""}${change}% on the 7 days before)`
  return `${today.toFixed(2)} ${currency} today, ${last7d.toFixed(2)} in 7 days${compared}`
}

const accessOf = ({ denials24h, expiringKeys }: NonNullable<Overview["access"]>): string =>
  [
    countOf(expiringKeys, "key expires within 7 days", "keys expire within 7 days"),
    ...(denials24h === undefined ? [] : [countOf(denials24h, "denial in 24 hours", "denials in 24 hours")])
  ].join(", ")

const summaryOf = ({ access, clusterCounts, cost, podReasons, statusCounts }: Overview): string => {
  const reasons = Object.fromEntries(podReasons.map(({ count, reason }) => [reason, count]))
  const facts: ReadonlyArray<readonly [string, string]> = [
    ["Clusters", countsOf(clusterCounts)],
    ["Workloads", countsOf(statusCounts)],
    ["Pods", podReasons.length === 0 ? "none needs intervention" : countsOf(reasons)],
    ...(cost === undefined ? [] : [["Cost", costOf(cost)] as const]),
    ...(access === undefined ? [] : [["Access", accessOf(access)] as const])
  ]
  return facts.map(([name, fact]) => `${`${name}:`.padEnd(11)}${PlainText.oneLine(fact)}\n`).join("")
}

export const statusCommand = Command.make(
  "status",
  flags,
  Effect.fn("status")(function* ({ cluster, output, url }) {
    const connection = yield* Connection.read(url)
    const overview = yield* ApiClient.call(connection, Overview, {
      method: "GET",
      path: "/api/v1/overview",
      headers: headersOf(connection, cluster)
    })
    if (output === "text") {
      const rows = overview.attention
      const table = rows.length === 0 ? "" : `\n${Output.table(attention(yield* Clock.currentTimeMillis), rows)}`
      yield* Print.output(`${summaryOf(overview)}${table}`)
    } else {
      const whole = yield* Effect.orDie(Schema.encodeEffect(Overview)(overview))
      yield* Print.output(Output.document(output, whole))
    }
    yield* Effect.forEach(CoverageNotes.lines(overview.clusters), Print.note, { discard: true })
  })
).pipe(
  Command.withDescription(
    "Show what needs attention in one, several or all clusters: workloads by status, pods by reason, failed and degraded workloads with their reasons, costs and, for Admins, keys."
  ),
  Command.withShortDescription("Show what needs attention in one, several or all clusters"),
  Command.withExamples([
    { command: "quarterdeck status --cluster '*'", description: "All clusters of the key" },
    { command: "quarterdeck status --cluster '*' -o json", description: "For a program" }
  ])
)
