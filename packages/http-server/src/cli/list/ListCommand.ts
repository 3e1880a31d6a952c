/**
 * Lists rows of one, several or all clusters. The list commands share it.
 */
import { Clock, Effect, Option, type Schema } from "effect"
import * as ApiClient from "../request/ApiClient.ts"
import * as Connection from "../request/Connection.ts"
import * as CoverageNotes from "../print/CoverageNotes.ts"
import * as ListFlags from "./ListFlags.ts"
import * as MergedList from "./MergedList.ts"
import * as NamedNamespaces from "./NamedNamespaces.ts"
import type { ListColumns, ListFormat } from "../print/Output.ts"
import * as Pages from "../request/Pages.ts"
import { headersOf } from "../request/TargetFlag.ts"

interface Page extends MergedList.Page {
  readonly nextCursor?: string
}

/**
 * A listed resource. **Shape** `what` is the last part of the route's path and the reply's field of rows. `flags` are those of
 * {@link ApiClient.call}.
 */
interface Listing<A extends Page, Row> {
  readonly what: string
  readonly schema: Schema.Decoder<A>
  readonly flags: Readonly<Record<string, string>>
  readonly rowsOf: (page: A) => ReadonlyArray<Row>
  readonly columns: (nowMs: number) => ListColumns<Row>
}

/** The flags of a list. **Shape** `filters` become query parameters of the same names. */
interface Given {
  readonly cluster: Option.Option<string>
  readonly limit: number
  readonly output: ListFormat
  readonly url: Option.Option<string>
  readonly filters: Parameters<typeof ListFlags.queryOf>[0]
}

/** Reads all pages, prints the rows, and names requested namespaces that do not exist. **Errors** `CommandFailure`. */
export const run = Effect.fnUntraced(function* <A extends Page, Row extends object>(
  { columns, flags, rowsOf, schema, what }: Listing<A, Row>,
  { cluster, filters, limit, output, url }: Given
) {
  const connection = yield* Connection.read(url)
  const query = ListFlags.queryOf(filters)
  const read = yield* Pages.read(
    limit,
    (page) =>
      ApiClient.call(connection, schema, {
        method: "GET",
        path: `/api/v1/${what}`,
        query: [...query, ...page],
        headers: headersOf(connection, cluster),
        flags
      }),
    rowsOf
  )
  const list = { what, cluster, limit, output, columns: columns(yield* Clock.currentTimeMillis) }
  yield* MergedList.print(list, read, rowsOf)
  const { consistency = Option.none(), namespace = Option.none() } = filters
  const found = new Set(read.pages.flatMap((page) => rowsOf(page).map(namespaceOf)))
  const names = Option.match(namespace, { onNone: () => [], onSome: (given) => [given].flat() })
  // If rows are missing or were not read, a namespace without a printed row may still exist.
  if (read.rest !== undefined || read.pages.some(({ partial }) => partial)) return
  if (names.every((name) => found.has(name))) return
  const [first, ...others] = CoverageNotes.worstOf(read.pages.map(({ clusters }) => clusters))
  if (first === undefined) return
  const listing = others.length === 0 ? `cluster ${first.name} lists no` : "none of these clusters lists a"
  yield* NamedNamespaces.note(connection, {
    names,
    headers: headersOf(connection, cluster),
    query: ListFlags.queryOf({ consistency }),
    absent: (name) => `${listing} namespace ${name}`
  }).pipe(NamedNamespaces.orUnknown)
})

const namespaceOf = (row: object): unknown => ("namespace" in row ? row.namespace : undefined)
