/**
 * Lists events of many clusters.
 */
import type * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { Target } from "@quarterdeck/targeting/Target"
import { Context, Effect, Layer } from "effect"
import { ClusterReader } from "../cache/ClusterReader.ts"
import { CursorKey } from "./Cursor.ts"
import * as EventFilter from "./EventFilter.ts"
import * as EventOrders from "./EventOrders.ts"
import { FanOut } from "./FanOut.ts"
import type { CursorInvalid, FanOutFailed, NamespaceForbidden } from "./ListError.ts"
import type * as ListQuery from "./ListQuery.ts"
import * as MergedList from "./MergedList.ts"
import * as RowList from "./RowList.ts"
import type { EventRow } from "../projection/Row.ts"

/**
 * Asks for a page of events. `namespaces` limits the key's access; `cursorBinding` identifies the key that may use the
 * cursor.
 */
export interface EventQuery {
  readonly target: Target
  readonly namespaces: NamespaceFilter.NamespaceFilter
  readonly filter: EventFilter.EventFilter
  readonly page: ListQuery.Page<ListQuery.EventSort>
  readonly cursorBinding: string
}

export class Events extends Context.Service<
  Events,
  {
    /**
     * Lists the events of the target that the key may see and the filter matches.
     *
     * **Errors** `NamespaceForbidden` if a requested namespace is out of scope in every addressed cluster,
     * `CursorInvalid`, and `FanOutFailed` if no addressed cluster answered.
     *
     * **Limits** ends within the page's `timeoutMs`. The first request starts a watch of a cluster's events; the watch
     * stops after ten minutes without a request. At most the newest 10,000 events of a cluster are kept.
     */
    readonly list: (
      query: EventQuery
    ) => Effect.Effect<MergedList.MergedList<EventRow>, FanOutFailed | CursorInvalid | NamespaceForbidden>
  }
>()("@quarterdeck/cluster-fanout/Events") {
  static readonly layer = Layer.effect(
    Events,
    Effect.gen(function* () {
      const fanOut = yield* FanOut
      const reader = yield* ClusterReader
      const key = yield* CursorKey

      const list = Effect.fn("Events.list")(function* (query: EventQuery) {
        const { filter, namespaces, page, target } = query
        const merged = yield* RowList.list(fanOut, reader, {
          target,
          namespaces,
          requestedNamespaces: filter.namespace ?? [],
          page,
          paging: MergedList.pagingOf("events", query, {
            key,
            filter: EventFilter.canonical(filter),
            order: EventOrders.ofPage(page)
          }),
          ascending: EventOrders.ascending(page.sort),
          kinds: { kinds: ["Event"] },
          rowsOf: ({ store }) => store.events,
          wantedOf: (isInScope) => EventFilter.wanted(filter, isInScope)
        })
        return { ...merged, items: merged.items.map(({ row }) => row) }
      })

      return Events.of({ list })
    })
  )
}
