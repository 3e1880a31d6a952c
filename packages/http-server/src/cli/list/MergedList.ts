/**
 * Prints a list of several clusters, with notes about missing rows.
 */
import type { Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import { Effect, type Option } from "effect"
import * as CoverageNotes from "../print/CoverageNotes.ts"
import * as ListFlags from "./ListFlags.ts"
import type { ListColumns, ListFormat } from "../print/Output.ts"
import type { Pages } from "../request/Pages.ts"
import * as Print from "../print/Print.ts"

/** The fields of a page in addition to its rows. */
export interface Page {
  readonly clusters: ReadonlyArray<Coverage>
  readonly partial: boolean
}

/** The printed list. **Shape** `what` is the resource and the reply's field of rows. */
interface List<Row> {
  readonly what: string
  readonly cluster: Option.Option<string>
  readonly limit: number
  readonly output: ListFormat
  readonly columns: ListColumns<Row>
}

/** Prints the rows of all pages. Notes on standard error whether more rows match and which clusters' rows are missing. */
export const print = Effect.fnUntraced(function* <Row, A extends Page>(
  { cluster, columns, limit, output, what }: List<Row>,
  { pages, rest }: Pages<A>,
  rowsOf: (page: A) => ReadonlyArray<Row>
) {
  const rows = pages.flatMap(rowsOf)
  const clusters = CoverageNotes.worstOf(pages.map((page) => page.clusters))
  yield* Print.list(output, columns, rows, {
    [what]: rows,
    clusters,
    partial: pages.some(({ partial }) => partial),
    ...(rest === undefined ? {} : { nextCursor: rest })
  })
  yield* ListFlags.noteRest(limit, rest)
  if (rows.length === 0) yield* Print.note(CoverageNotes.nothingFound(what, clusters, cluster))
  yield* Effect.forEach(CoverageNotes.lines(clusters), Print.note)
})
