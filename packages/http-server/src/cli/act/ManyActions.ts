/**
 * Changes many workloads: shows what would change, asks, and tells what becomes of each.
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

/** The flags of a bulk action; each means what the flag of the same name says. */
export interface Given {
  readonly isDryRun: boolean
  readonly isSure: boolean
  readonly output: "text" | "json" | "yaml"
}

/** A workload, and what became of it. */
interface Told {
  readonly row: WorkloadRow
  readonly outcome: BulkOutcome
}

const columnsOf = (change: BulkCall.Change): ReadonlyArray<Output.Column<Told>> => [
  { title: "CLUSTER", cell: ({ row }) => row.cluster },
  { title: "NAMESPACE", cell: ({ row }) => row.namespace },
  { title: "KIND", cell: ({ row }) => row.kind },
  { title: "NAME", cell: ({ row }) => row.name },
  { title: "CHANGE", cell: ({ row }) => changeOf(change, row) },
  { title: "RESULT", cell: ({ outcome }) => resultOf(outcome) }
]

/** Describes what changes of a workload. **Example** `replicas 2 -> 3` */
const changeOf = ({ action, replicas }: BulkCall.Change, row: WorkloadRow): string =>
  action === "scale" ? `replicas ${row.replicas.desired} -> ${replicas}` : action

const STATUSES = ["applied", "dryRun", "refused", "failed"] as const satisfies ReadonlyArray<BulkOutcome["status"]>

const wordOf = (status: BulkOutcome["status"]): string => (status === "dryRun" ? "would be applied" : status)

/** Describes what became of a workload, with the code of a failure. **Example** `failed: cluster_unreachable` */
const resultOf = ({ code, status }: BulkOutcome): string => wordOf(status) + (code === undefined ? "" : `: ${code}`)

/** Counts workloads and their clusters in words. **Example** `3 workloads in 2 clusters` */
const countOf = (rows: ReadonlyArray<WorkloadRow>): string => {
  const clusters = new Set(rows.map(({ cluster }) => cluster)).size
  return `${rows.length} ${rows.length === 1 ? "workload" : "workloads"} in ${clusters} ${clusters === 1 ? "cluster" : "clusters"}`
}

/**
 * Changes them.
 *
 * **Shape** what a dry run showed is what is changed: workloads that could not be are left out. Rows are printed as they become
 * known; what is known is printed also where the rest fails.
 *
 * **Errors** `CommandFailure` where any was not changed, and where a cluster's workloads are not known; with exit code 2 where
 * there is nobody to ask.
 */
export const run = Effect.fnUntraced(function* (
  connection: Connection,
  given: Given,
  change: BulkCall.Change,
  many: ActionTargets.Many
) {
  if (!given.isDryRun && !given.isSure && !(yield* Confirmation.isPossible)) {
    return yield* misused(
      "many workloads are changed without asking with --yes alone; --dry-run shows what would change"
    )
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
    if (wanted.length === 0) return yield* failed("nothing was changed: none of them can be")
    const rest = leftOut.length === 0 ? "" : `, and leave out ${leftOut.length}`
    yield* Confirmation.require(`${change.action} ${countOf(wanted)}${rest}?`)
  }
  const table = new Output.AppendedTable()
  const done: Array<Told> = []
  const asked = yield* Effect.result(
    ask(connection, change, wanted, (told) => {
      done.push(...told)
      return given.output === "text" ? Print.output(table.append(columns, told)) : Effect.void
    })
  )
  const failure = Result.isFailure(asked) ? asked.failure : undefined
  if (failure !== undefined && done.length === 0) return yield* failure
  const all = inOrder(rows, [...done, ...leftOut])
  if (given.output !== "text") yield* Print.output(textOf(given, columns, all))
  yield* Print.note(sumOf(all))
  yield* judge(rows.length, all, missing, failure)
})

/** Sends a change, and gives what became of each in the order of the rows. */
const ask = Effect.fnUntraced(function* <R>(
  connection: Connection,
  change: BulkCall.Change & { readonly dryRun?: true },
  rows: ReadonlyArray<WorkloadRow>,
  hear: (told: ReadonlyArray<Told>) => Effect.Effect<void, never, R>
) {
  const byPlace = new Map(rows.map((row) => [BulkCall.placeOf(row), row]))
  const all: Array<Told> = []
  yield* BulkCall.send(connection, change, rows, (outcomes) => {
    const told = outcomes.flatMap((outcome): ReadonlyArray<Told> => {
      const row = byPlace.get(BulkCall.placeOf(outcome))
      return row === undefined ? [] : [{ row, outcome }]
    })
    all.push(...told)
    return hear(told)
  })
  return inOrder(rows, all)
})

const inOrder = (rows: ReadonlyArray<WorkloadRow>, told: ReadonlyArray<Told>): ReadonlyArray<Told> => {
  const byRow = new Map(told.map((one) => [one.row, one]))
  return rows.flatMap((row) => byRow.get(row) ?? [])
}

const textOf = ({ output }: Given, columns: ReadonlyArray<Output.Column<Told>>, told: ReadonlyArray<Told>): string =>
  output === "text"
    ? Output.table(columns, told)
    : Output.document(output, { outcomes: told.map(({ outcome }) => outcome) })

/** Counts the outcomes of each status in words. **Example** `3 applied, 1 failed` */
const sumOf = (told: ReadonlyArray<Told>): string =>
  STATUSES.flatMap((status) => {
    const { length } = told.filter(({ outcome }) => outcome.status === status)
    return length === 0 ? [] : [`${length} ${wordOf(status)}`]
  }).join(", ")

/** Fails where something is not as it was asked for. **Shape** `failure` tells itself of what became of the others. */
const judge = Effect.fnUntraced(function* (
  count: number,
  told: ReadonlyArray<Told>,
  missing: ActionTargets.Found["missing"],
  failure?: CommandFailure
) {
  const open = told.filter(({ outcome }) => outcome.status === "refused" || outcome.status === "failed").length
  const names = missing.map(({ name }) => name).join(", ")
  const problems = [
    ...(failure?.lines ?? []),
    ...(open === 0 ? [] : [`${open} of ${count} cannot be changed, or were not: see their RESULT`]),
    ...(told.length === count || failure !== undefined
      ? []
      : [`the service did not tell what became of ${count - told.length} of ${count}`]),
    ...(missing.length === 0 ? [] : [`workloads in ${names} are not known, and were left as they are`])
  ]
  if (failure !== undefined) return yield* new CommandFailure({ lines: problems, exitCode: failure.exitCode })
  if (problems.length > 0) return yield* failed(...problems)
})
