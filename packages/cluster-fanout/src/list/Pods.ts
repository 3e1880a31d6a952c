/**
 * Lists pods of many clusters.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { Target } from "@quarterdeck/targeting/Target"
import { Context, Effect, Layer } from "effect"
import { ClusterReader } from "../cache/ClusterReader.ts"
import { CursorKey } from "./Cursor.ts"
import { FanOut } from "./FanOut.ts"
import type { CursorInvalid, FanOutFailed, NamespaceForbidden } from "./ListError.ts"
import type * as ListQuery from "./ListQuery.ts"
import * as MergedList from "./MergedList.ts"
import * as PodFilter from "./PodFilter.ts"
import * as PodOrders from "./PodOrders.ts"
import * as RowList from "./RowList.ts"
import type { Chain } from "../projection/Owner.ts"
import type { PodRecord } from "../projection/PodProjection.ts"
import * as PodRows from "../projection/PodRows.ts"
import type { PodRow } from "../projection/Row.ts"

/**
 * Asks for a page of pods. `namespaces` limits the key's access; `cursorBinding` identifies the key that may use the
 * cursor. Without `mayReadLogs`, rows have no text that may come from a log.
 */
export interface PodQuery {
  readonly target: Target
  readonly namespaces: NamespaceFilter.NamespaceFilter
  readonly filter: PodFilter.PodFilter
  readonly page: ListQuery.Page<ListQuery.PodSort>
  readonly cursorBinding: string
  readonly mayReadLogs?: boolean
}

/** Kinds to read: pods, and the objects between pods and their workloads. */
const KINDS = { kinds: ["Pod"], naming: ["ReplicaSet", "Job"] } as const

export class Pods extends Context.Service<
  Pods,
  {
    /**
     * Lists the pods of the target that the key may see and the filter matches.
     *
     * **Errors** `NamespaceForbidden` if a requested namespace is out of scope in every addressed cluster,
     * `CursorInvalid`, and `FanOutFailed` if no addressed cluster answered.
     *
     * **Limits** ends within the page's `timeoutMs`. A page costs about as much as the rows it shows: from the first
     * use of an order, pods are kept sorted. Rows are made only for the pods shown.
     */
    readonly list: (
      query: PodQuery
    ) => Effect.Effect<MergedList.MergedList<PodRow>, FanOutFailed | CursorInvalid | NamespaceForbidden>
    /** Lists at once from the cache. Returns `undefined` where `list` would wait, fail or yield. */
    readonly listNow: (query: PodQuery) => MergedList.MergedList<PodRow> | undefined
  }
>()("@quarterdeck/cluster-fanout/Pods") {
  static readonly layer = Layer.effect(
    Pods,
    Effect.gen(function* () {
      const fanOut = yield* FanOut
      const reader = yield* ClusterReader
      const key = yield* CursorKey

      const listingOf = (query: PodQuery, chains: Map<ClusterName, Chain>): RowList.Listing<PodRecord> => {
        const { filter, namespaces, page, target } = query
        // A pod's workload may change without the pod, so a filter by workload cannot be cached by its text.
        const filterText = filter.workload === undefined ? JSON.stringify(PodFilter.canonicalRest(filter)) : undefined
        return {
          filterText,
          target,
          namespaces,
          requestedNamespaces: filter.namespace ?? [],
          page,
          paging: MergedList.pagingOf("pods", query, {
            key,
            filter: PodFilter.canonical(filter),
            order: PodOrders.ofPage(page)
          }),
          ascending: PodOrders.ascending(page.sort),
          kinds: KINDS,
          rowsOf: ({ store }) => {
            chains.set(store.cluster.name, store.chain)
            return store.pods
          },
          wantedOf: (isInScope, { store }) => PodFilter.wanted(filter, isInScope, store.chain)
        }
      }
      const withRows = (
        { mayReadLogs }: PodQuery,
        merged: MergedList.MergedList<PodRecord>,
        chains: ReadonlyMap<ClusterName, Chain>
      ) => ({
        ...merged,
        items: merged.items.map((pod) => PodRows.readable(PodRows.of(pod, chains.get(pod.cluster)), mayReadLogs))
      })

      return Pods.of({
        list: Effect.fn("Pods.list")(function* (query: PodQuery) {
          const chains = new Map<ClusterName, Chain>()
          return withRows(query, yield* RowList.list(fanOut, reader, listingOf(query, chains)), chains)
        }),
        listNow: (query) => {
          const chains = new Map<ClusterName, Chain>()
          const merged = RowList.listNow(fanOut, reader, listingOf(query, chains))
          return merged === undefined ? undefined : withRows(query, merged, chains)
        }
      })
    })
  )
}
