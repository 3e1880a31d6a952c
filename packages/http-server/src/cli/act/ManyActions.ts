/**
 * Changes many workloads: shows a dry run, asks for confirmation, and prints the outcome of each.
 */
import type { WorkloadRow } from "@quarterdeck/cluster-fanout/Row"
import type { BulkOutcome } from "@quarterdeck/contract/WorkloadsGroup"
import { Effect, Result } from "effect"
import * as ActionTargets from "./ActionTargets.ts"
import * as BulkCall from "./BulkCall.ts"
import { CommandFailure, failed, misused } from "../print/CommandFailure.ts"
import * as Confirmation from "./Confirmation.ts"
import type { Connection } from "../request/Connection.ts"
import * as Output from "../print/Output.ts"
import * as Print from "../print/Print.ts"

/** The flags of a bulk action. */
export interface Given {
  readonly isDryRun: boolean
  readonly isSure: boolean
  readonly output: "text" | "json" | "yaml"
}

/** A workload and its outcome. */
interface Outcome {
  readonly row: WorkloadRow
  readonly outcome: BulkOutcome
}

const columnsOf = (change: BulkCall.Change): ReadonlyArray<Output.Column<Outcome>> => [
  { title: "CLUSTER", cell: ({ row }) => row.cluster },
  { title: "NAMESPACE", cell: ({ row }) => row.namespace },
  { title: "KIND", cell: ({ row }) => row.kind },
  { title: "NAME", cell: ({ row }) => row.name },
  { title: "CHANGE", cell: ({ row }) => changeOf(change, row) },
  { title: "RESULT", cell: ({ outcome }) => resultOf(outcome) }
]

/** Describes the change of a workload. **Example** `replicas 2 -> 3` */
const changeOf = ({ action, replicas }: BulkCall.Change, row: WorkloadRow): string =>
  action === "scale" ? `replicas ${row.replicas.desired} -> ${replicas}` : action

const STATUSES = ["applied", "dryRun", "refused", "failed"] as const satisfies ReadonlyArray<BulkOutcome["status"]>

const wordOf = (status: BulkOutcome["status"]): string => (status === "dryRun" ? "would be applied" : status)

/** Describes the outcome of a workload, with the error code. **Example** `failed: cluster_unreachable` */
const resultOf = ({ code, status }: BulkOutcome): string => wordOf(status) + (code === undefined ? "" : `: ${code}`)

/** Prints the number of workloads and clusters. **Example** `3 workloads in 2 clusters` */
const countOf = (rows: ReadonlyArray<WorkloadRow>): string => {
  const clusters = new Set(rows.map(({ cluster }) => cluster)).size
  return `${rows.length} ${rows.length === 1 ? "workload" : "workloads"} in ${clusters} ${clusters === 1 ? "cluster" : "clusters"}`
}

/**
 * Changes the workloads.
 *
 * **Shape** leaves out workloads whose dry run failed. Prints outcomes as they arrive, also if the rest of the request fails.
 *
 * **Errors** `CommandFailure` if a workload was not changed or a cluster did not answer. The exit code is 2 if confirmation is
 * needed and standard input is not a terminal.
 */
export const run = Effect.fnUntraced(function* (
  connection: Connection,
  given: Given,
  change: BulkCall.Change,
  many: ActionTargets.Many
) {
  if (!given.isDryRun && !given.isSure && !(yield* Confirmation.isPossible)) {
    return yield* misused("changing many workloads without a terminal needs --yes; --dry-run shows the changes")
  }
  const { missing, rows } = yield* ActionTargets.find(connection, many)
  const columns = columnsOf(change)
  if (given.isDryRun) {
    const tried = yield* ask(connection, { ...change, dryRun: true }, rows, () => Effect.void)
    yield* Print.output(textOf(given, columns, tried))
    yield* Print.note("nothing was changed")
    return yield* judge(rows.length, tried, missing)
  }
  const tried = given.isSure ? [] : yield* ask(connection, { ...change, dryRun: true }, rows, () => Effect.void)
  const leftOut = tried.filter(({ outcome }) => outcome.status !== "dryRun")
  const agreed = tried.filter(({ outcome }) => outcome.status === "dryRun").map(({ row }) => row)
  const wanted = given.isSure ? rows : agreed
  if (!given.isSure) {
    yield* Print.aside(Output.table(columns, tried))
    if (wanted.length === 0) return yield* failed("nothing was changed: every dry run failed")
    const rest = leftOut.length === 0 ? "" : `, and leave out ${leftOut.length}`
    yield* Confirmation.require(`${change.action} ${countOf(wanted)}${rest}?`)
  }
  const table = new Output.AppendedTable()
  const done: Array<Outcome> = []
  const asked = yield* Effect.result(
    ask(connection, change, wanted, (outcomes) => {
      done.push(...outcomes)
      return given.output === "text" ? Print.output(table.append(columns, outcomes)) : Effect.void
    })
  )
  const failure = Result.isFailure(asked) ? asked.failure : undefined
  if (failure !== undefined && done.length === 0) return yield* failure
  const all = inOrder(rows, [...done, ...leftOut])
  if (given.output !== "text") yield* Print.output(textOf(given, columns, all))
  yield* Print.note(sumOf(all))
  yield* judge(rows.length, all, missing, failure)
})

/** Sends a change, and returns the outcomes in the order of the rows. */
const ask = Effect.fnUntraced(function* <R>(
  connection: Connection,
  change: BulkCall.Change & { readonly dryRun?: true },
  rows: ReadonlyArray<WorkloadRow>,
  hear: (outcomes: ReadonlyArray<Outcome>) => Effect.Effect<void, never, R>
) {
  const byPlace = new Map(rows.map((row) => [BulkCall.placeOf(row), row]))
  const all: Array<Outcome> = []
  yield* BulkCall.send(connection, change, rows, (replies) => {
    const outcomes = replies.flatMap((outcome): ReadonlyArray<Outcome> => {
      const row = byPlace.get(BulkCall.placeOf(outcome))
      return row === undefined ? [] : [{ row, outcome }]
    })
    all.push(...outcomes)
    return hear(outcomes)
  })
  return inOrder(rows, all)
})

const inOrder = (rows: ReadonlyArray<WorkloadRow>, outcomes: ReadonlyArray<Outcome>): ReadonlyArray<Outcome> => {
  const byRow = new Map(outcomes.map((outcome) => [outcome.row, outcome]))
  return rows.flatMap((row) => byRow.get(row) ?? [])
}

const textOf = (
  { output }: Given,
  columns: ReadonlyArray<Output.Column<Outcome>>,
  outcomes: ReadonlyArray<Outcome>
): string =>
  output === "text"
    ? Output.table(columns, outcomes)
    : Output.document(output, { outcomes: outcomes.map(({ outcome }) => outcome) })

/** Prints the number of outcomes of each status. **Example** `3 applied, 1 failed` */
const sumOf = (outcomes: ReadonlyArray<Outcome>): string =>
  STATUSES.flatMap((status) => {
    const { length } = outcomes.filter(({ outcome }) => outcome.status === status)
    return length === 0 ? [] : [`${length} ${wordOf(status)}`]
  }).join(", ")

/**
 * Fails if a workload was not changed or a cluster did not answer. **Shape** `failure` already reports the workloads
 * without an outcome.
 */
const judge = Effect.fnUntraced(function* (
  count: number,
  outcomes: ReadonlyArray<Outcome>,
  missing: ActionTargets.Found["missing"],
  failure?: CommandFailure
) {
  const open = outcomes.filter(({ outcome }) => outcome.status === "refused" || outcome.status === "failed").length
  const names = missing.map(({ name }) => name).join(", ")
  const problems = [
    ...(failure?.lines ?? []),
    ...(open === 0 ? [] : [`${open} of ${count} were not changed or cannot be: see RESULT`]),
    ...(outcomes.length === count || failure !== undefined
      ? []
      : [`the server did not report the outcome of ${count - outcomes.length} of ${count}`]),
    ...(missing.length === 0 ? [] : [`workloads in ${names} are unknown and were not changed`])
  ]
  if (failure !== undefined) return yield* new CommandFailure({ lines: problems, exitCode: failure.exitCode })
  if (problems.length > 0) return yield* failed(...problems)
})
