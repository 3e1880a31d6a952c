/**
 * Prints changes of workloads: a line for each change, below the earlier lines.
 */
import { Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import { WorkloadRow } from "@quarterdeck/cluster-fanout/Row"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { Clock, Effect, Result, Schema } from "effect"
import type { Sse } from "effect/encoding"
import * as Columns from "../print/Columns.ts"
import { type CommandFailure, failed } from "../print/CommandFailure.ts"
import * as CoverageNotes from "../print/CoverageNotes.ts"
import * as Output from "../print/Output.ts"
import * as Print from "../print/Print.ts"

export type WatchFormat = "table" | "wide" | "json"

/** A row that was removed. */
const Gone = Schema.Struct({
  id: Schema.String,
  cluster: Schema.String,
  kind: Schema.String,
  namespace: Schema.String,
  name: Schema.String
})

type Change =
  | { readonly _tag: "Row"; readonly row: WorkloadRow }
  | { readonly _tag: "Gone"; readonly row: typeof Gone.Type }

const decodeJson = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Unknown))
const decodeRow = Schema.decodeUnknownResult(Schema.fromJsonString(WorkloadRow))
const decodeGone = Schema.decodeUnknownResult(Schema.fromJsonString(Gone))
const decodeCoverage = Schema.decodeUnknownResult(Schema.fromJsonString(Coverage))

/**
 * Makes the printer of chunks of events. The printer returns false if the reader has closed standard output.
 *
 * **Errors** `CommandFailure` for an event of another shape.
 */
export const make = (format: WatchFormat) => (format === "json" ? printJson : printTable(format))

/** Prints each event as a line: `{"event":"row","data":{...}}`. */
const printJson = Effect.fnUntraced(function* (events: ReadonlyArray<Sse.Event>) {
  const lines = yield* Effect.forEach(events, ({ data, event }) =>
    Effect.map(known(decodeJson(data), event), (value) => Output.jsonLine({ event, data: value }))
  )
  return lines.length === 0 || (yield* Print.append(lines.join("")))
})

const printTable = (format: "table" | "wide") => {
  const table = new Output.AppendedTable()
  /** Clusters about which a warning was printed. */
  const warned = new Set<string>()
  let isBegun = false
  let rows = 0

  const note = Effect.fnUntraced(function* (coverages: ReadonlyArray<Coverage>) {
    for (const coverage of coverages) {
      const isWell = CoverageNotes.lines([coverage]).length === 0
      if (isWell && warned.delete(coverage.name)) yield* Print.note(`cluster ${coverage.name} answers again`)
      if (!isWell) warned.add(coverage.name)
    }
    yield* Effect.forEach(CoverageNotes.lines(coverages), Print.note, { discard: true })
  })

  return Effect.fnUntraced(function* (events: ReadonlyArray<Sse.Event>) {
    const columns = columnsOf(Columns.workloads(yield* Clock.currentTimeMillis), format)
    const changes: Array<Change> = []
    const coverages: Array<Coverage> = []
    for (const { data, event } of events) {
      switch (event) {
        case "row":
          changes.push({ _tag: "Row", row: yield* known(decodeRow(data), event) })
          break
        case "gone":
          changes.push({ _tag: "Gone", row: yield* known(decodeGone(data), event) })
          break
        case "coverage":
          coverages.push(yield* known(decodeCoverage(data), event))
          break
        case "reset":
          yield* Print.note("some changes were missed: all rows are printed again")
          break
        case "ready":
          if (!isBegun && rows + changes.length === 0) yield* Print.note("no workloads match yet; waiting")
          isBegun = true
          break
        default:
          // A newer server may send other events.
          break
      }
    }
    rows += changes.length
    const text = table.append(columns, changes)
    yield* note(coverages)
    return text === "" || (yield* Print.append(text))
  })
}

/** The columns of the list. A removed row has only the cells of its name. */
const columnsOf = (
  { table, wide }: Output.ListColumns<WorkloadRow>,
  format: "table" | "wide"
): ReadonlyArray<Output.Column<Change>> =>
  (format === "wide" ? [...table, ...wide] : table).map(({ cell, ...column }) => ({
    ...column,
    cell: (change) => (change._tag === "Row" ? cell(change.row) : (goneCells(change.row)[column.title] ?? "-"))
  }))

const goneCells = ({ cluster, kind, name, namespace }: typeof Gone.Type): Readonly<Record<string, string>> => ({
  CLUSTER: cluster,
  NAMESPACE: namespace,
  KIND: kind,
  NAME: name,
  STATUS: "gone"
})

const known = <A>(decoded: Result.Result<A, Schema.SchemaError>, event: string): Effect.Effect<A, CommandFailure> =>
  Result.isSuccess(decoded)
    ? Effect.succeed(decoded.success)
    : Effect.fail(
        failed(
          `this version of the program cannot read an event of type ${event}: ${SchemaFault.print(SchemaFault.fromIssue(decoded.failure.issue))}`
        )
      )
