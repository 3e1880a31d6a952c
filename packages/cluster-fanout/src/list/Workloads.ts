/**
 * Lists workloads of many clusters.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { Target } from "@quarterdeck/targeting/Target"
import { Context, Effect, Layer } from "effect"
import { ClusterReader, type Reading } from "../cache/ClusterReader.ts"
import * as Coverage from "../kube/Coverage.ts"
import { CursorKey } from "./Cursor.ts"
import { FanOut } from "./FanOut.ts"
import * as Kind from "../projection/Kind.ts"
import type { CursorInvalid, FanOutFailed, NamespaceForbidden } from "./ListError.ts"
import type * as ListQuery from "./ListQuery.ts"
import * as MergedList from "./MergedList.ts"
import * as WorkloadFilter from "./WorkloadFilter.ts"
import * as RowList from "./RowList.ts"
import * as StatusCounts from "./StatusCounts.ts"
import * as WorkloadOrders from "./WorkloadOrders.ts"
import type { StatusCounts as Counts, WorkloadRow } from "../projection/Row.ts"

/**
 * Asks for a page of workloads. `namespaces` limits the key's access; `cursorBinding` identifies the key that may use
 * the cursor.
 */
export interface WorkloadQuery {
  readonly target: Target
  readonly namespaces: NamespaceFilter.NamespaceFilter
  readonly filter: WorkloadFilter.WorkloadFilter
  readonly page: ListQuery.Page<ListQuery.WorkloadSort>
  readonly cursorBinding: string
}

/** A page of workloads. **Shape** a first page has the number of workloads of each status, whatever status is asked. */
export interface WorkloadPage extends MergedList.MergedList<WorkloadRow> {
  readonly statusCounts?: Counts
}

export class Workloads extends Context.Service<
  Workloads,
  {
    /**
     * Lists the workloads of the target that the key may see and the filter matches.
     *
     * **Errors** `NamespaceForbidden` if a requested namespace is out of scope in every addressed cluster,
     * `CursorInvalid`, and `FanOutFailed` if no addressed cluster answered.
     *
     * **Limits** ends within the page's `timeoutMs`. A page costs about as much as the rows it shows: from the first
     * use of an order, rows are kept sorted. A cluster with very many rows is scanned until its rows are sorted.
     */
    readonly list: (
      query: WorkloadQuery
    ) => Effect.Effect<WorkloadPage, FanOutFailed | CursorInvalid | NamespaceForbidden>
    /**
     * Lists workloads as `list` does, with the readings that the page was made from.
     *
     * **Shape** `readings` has an entry for each cluster that answered. It is not limited to the key's namespaces.
     */
    readonly listReadings: (
      query: WorkloadQuery
    ) => Effect.Effect<
      WorkloadPage & { readonly readings: ReadonlyMap<ClusterName, Reading> },
      FanOutFailed | CursorInvalid | NamespaceForbidden
    >
    /** Lists at once from the cache. Returns `undefined` where `list` would wait, fail or yield. */
    readonly listNow: (query: WorkloadQuery) => WorkloadPage | undefined
  }
>()("@quarterdeck/cluster-fanout/Workloads") {
  static readonly layer = Layer.effect(
    Workloads,
    Effect.gen(function* () {
      const fanOut = yield* FanOut
      const reader = yield* ClusterReader
      const key = yield* CursorKey

      const listingOf = (
        query: WorkloadQuery,
        note: (reading: Reading) => void = () => undefined
      ): RowList.Listing<WorkloadRow> => {
        const { filter, namespaces, page, target } = query
        const filterText = JSON.stringify(WorkloadFilter.canonicalRest(filter))
        return {
          filterText,
          target,
          namespaces,
          requestedNamespaces: filter.namespace ?? [],
          page,
          paging: MergedList.pagingOf("workloads", query, {
            key,
            filter: WorkloadFilter.canonical(filter),
            order: WorkloadOrders.ofPage(page)
          }),
          ascending: WorkloadOrders.ascending(page.sort),
          kinds: Kind.neededFor(filter.kind),
          isTallied: true,
          rowsOf: (reading) => {
            note(reading)
            return reading.store.rows
          },
          wantedOf: (isInScope) => WorkloadFilter.wanted(filter, isInScope)
        }
      }

      const pageOf = ({ filter }: WorkloadQuery, { tally, ...merged }: RowList.ListedRows<WorkloadRow>): WorkloadPage =>
        tally === undefined ? merged : { ...merged, statusCounts: StatusCounts.fromTally(tally, filter.kind) }

      return Workloads.of({
        list: Effect.fn("Workloads.list")((query: WorkloadQuery) =>
          Effect.map(RowList.list(fanOut, reader, listingOf(query)), (listed) => pageOf(query, listed))
        ),
        listReadings: Effect.fn("Workloads.listReadings")(function* (query: WorkloadQuery) {
          const noted = new Map<ClusterName, Reading>()
          const listing = listingOf(query, (reading) => void noted.set(reading.store.cluster.name, reading))
          const page = pageOf(query, yield* RowList.list(fanOut, reader, listing))
          // A cluster may be read after the deadline, when the reply already says that it did not answer.
          const readings = page.clusters.flatMap((coverage) => {
            const reading = Coverage.answered(coverage) ? noted.get(coverage.name) : undefined
            return reading === undefined ? [] : [[coverage.name, reading] as const]
          })
          return { ...page, readings: new Map(readings) }
        }),
        listNow: (query) => {
          const listed = RowList.listNow(fanOut, reader, listingOf(query))
          return listed === undefined ? undefined : pageOf(query, listed)
        }
      })
    })
  )
}
