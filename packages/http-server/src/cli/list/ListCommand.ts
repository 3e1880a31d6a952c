/**
 * What every command does that lists rows of one, several or all clusters: it asks page by page, and prints.
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

/** What is listed. **Shape** `what` ends the route's path, and names the rows in its reply; `flags` as {@link ApiClient.call} takes them. */
interface Listing<A extends Page, Row> {
  readonly what: string
  readonly schema: Schema.Decoder<A>
  readonly flags: Readonly<Record<string, string>>
  readonly rowsOf: (page: A) => ReadonlyArray<Row>
  readonly columns: (nowMs: number) => ListColumns<Row>
}

/** What was given on the command line. **Shape** `filters` become query parameters of their names. */
interface Given {
  readonly cluster: Option.Option<string>
  readonly limit: number
  readonly output: ListFormat
  readonly url: Option.Option<string>
  readonly filters: Parameters<typeof ListFlags.queryOf>[0]
}

/** Lists. **Errors** `CommandFailure`. */
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
  const asked = { what, cluster, limit, output, columns: columns(yield* Clock.currentTimeMillis) }
  yield* MergedList.print(asked, read, rowsOf)
  const { consistency = Option.none(), namespace = Option.none() } = filters
  const found = new Set(read.pages.flatMap((page) => rowsOf(page).map(namespaceOf)))
  const names = Option.match(namespace, { onNone: () => [], onSome: (given) => [given].flat() })
  // Where rows are missing, or more follow, a namespace without one may have some.
  if (read.rest !== undefined || read.pages.some(({ partial }) => partial)) return
  if (names.every((name) => found.has(name))) return
  const [first, ...others] = CoverageNotes.worstOf(read.pages.map(({ clusters }) => clusters))
  if (first === undefined) return
  const whoLists = others.length === 0 ? `cluster ${first.name} lists no` : "no asked cluster lists a"
  yield* NamedNamespaces.note(connection, {
    names,
    headers: headersOf(connection, cluster),
    query: ListFlags.queryOf({ consistency }),
    absent: (name) => `${whoLists} namespace ${name}`
  }).pipe(NamedNamespaces.orUnknown)
})

const namespaceOf = (row: object): unknown => ("namespace" in row ? row.namespace : undefined)
