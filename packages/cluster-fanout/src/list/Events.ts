/**
 * Lists events of many clusters as one.
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
 * Asks for a page of events; `namespaces` is what the key reaches; `cursorBinding` names the key, so that cursors serve
 * it alone.
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
     * Lists the events of the target that the key reaches and the filter matches.
     *
     * **Errors** `NamespaceForbidden` when a namespace asked for by name is out of scope in every addressed cluster,
     * `CursorInvalid`, and `FanOutFailed` when no addressed cluster answered.
     *
     * **Limits** ends within the page's `timeoutMs`. A cluster's events are followed from when they are first asked for until
     * nobody has asked for ten minutes; the newest 10,000 are held.
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
          asked: filter.namespace ?? [],
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
