/**
 * Lists workloads of many clusters.
 */
import type * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { Target } from "@quarterdeck/targeting/Target"
import { Context, Effect, Layer } from "effect"
import { ClusterReader } from "../cache/ClusterReader.ts"
import { CursorKey } from "./Cursor.ts"
import { FanOut } from "./FanOut.ts"
import * as Kind from "../projection/Kind.ts"
import type { CursorInvalid, FanOutFailed, NamespaceForbidden } from "./ListError.ts"
import type * as ListQuery from "./ListQuery.ts"
import * as MergedList from "./MergedList.ts"
import * as WorkloadFilter from "./WorkloadFilter.ts"
import * as RowList from "./RowList.ts"
import * as WorkloadOrders from "./WorkloadOrders.ts"
import type { WorkloadRow } from "../projection/Row.ts"

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
    ) => Effect.Effect<MergedList.MergedList<WorkloadRow>, FanOutFailed | CursorInvalid | NamespaceForbidden>
    /** Lists at once from the cache. Returns `undefined` where `list` would wait, fail or yield. */
    readonly listNow: (query: WorkloadQuery) => MergedList.MergedList<WorkloadRow> | undefined
  }
>()("@quarterdeck/cluster-fanout/Workloads") {
  static readonly layer = Layer.effect(
    Workloads,
    Effect.gen(function* () {
      const fanOut = yield* FanOut
      const reader = yield* ClusterReader
      const key = yield* CursorKey

      const listingOf = (query: WorkloadQuery): RowList.Listing<WorkloadRow> => {
        const { filter, namespaces, page, target } = query
        const filterText = JSON.stringify(WorkloadFilter.canonical(filter))
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
          rowsOf: ({ store }) => store.rows,
          wantedOf: (isInScope) => WorkloadFilter.wanted(filter, isInScope)
        }
      }

      return Workloads.of({
        list: Effect.fn("Workloads.list")((query: WorkloadQuery) => RowList.list(fanOut, reader, listingOf(query))),
        listNow: (query) => RowList.listNow(fanOut, reader, listingOf(query))
      })
    })
  )
}
