/**
 * Lists workloads of many clusters as one.
 */
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { Target } from "@quarterdeck/targeting/Target"
import { Context, Effect, Layer } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterReader, type Reading } from "../cache/ClusterReader.ts"
import { CursorKey } from "./Cursor.ts"
import { type Answer, byReading, FanOut, type Reply } from "./FanOut.ts"
import * as Kind from "../projection/Kind.ts"
import { type CursorInvalid, type FanOutFailed, NamespaceForbidden } from "./ListError.ts"
import type * as ListQuery from "./ListQuery.ts"
import * as MergedList from "./MergedList.ts"
import * as WorkloadFilter from "./WorkloadFilter.ts"
import { PageBound } from "./PageBound.ts"
import * as RowPick from "./RowPick.ts"
import * as WorkloadOrders from "./WorkloadOrders.ts"
import type { WorkloadRow } from "../projection/Row.ts"

/** **Shape** `namespaces` is what the key reaches; `cursorBinding` names the key, so that cursors serve it alone. */
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
     * Lists the workloads of the target that the key reaches and the filter matches.
     *
     * **Errors** `NamespaceForbidden` when a namespace asked for by name is out of scope in every addressed cluster,
     * `CursorInvalid`, and `FanOutFailed` when no addressed cluster answered.
     *
     * **Limits** ends within the page's `timeoutMs`; a page costs about what it shows: rows are kept sorted from the first use of an order on.
     */
    readonly list: (
      query: WorkloadQuery
    ) => Effect.Effect<MergedList.MergedList<WorkloadRow>, FanOutFailed | CursorInvalid | NamespaceForbidden>
  }
>()("@quarterdeck/cluster-fanout/Workloads") {
  static readonly layer = Layer.effect(
    Workloads,
    Effect.gen(function* () {
      const fanOut = yield* FanOut
      const reader = yield* ClusterReader
      const key = yield* CursorKey

      const list = Effect.fn("Workloads.list")(function* (query: WorkloadQuery) {
        const { filter, namespaces, page, target } = query
        const paging = MergedList.pagingOf("workloads", query, {
          key,
          filter: WorkloadFilter.canonical(filter),
          order: WorkloadOrders.ofPage(page)
        })
        const after = yield* MergedList.startOf(paging, page.cursor)
        const needsLabels = NamespaceFilter.needsLabels(namespaces)
        const asked = filter.namespace ?? []
        if (!needsLabels) yield* refuseOutside(asked, (name) => NamespaceFilter.matches(namespaces, name, undefined))

        const { consistency, timeoutMs } = page
        const question = { kinds: Kind.neededFor(filter.kind), consistency, timeoutMs, needsLabels }
        const size = page.limit + 1
        const bound = new PageBound(paging.order, size)
        const part: RowPick.Part = {
          order: paging.order,
          ascending: WorkloadOrders.ascending(page.sort),
          after,
          size,
          isWithin: (row) => bound.isWithin(row)
        }
        const answerOf = (reading: Reading): Answer<Part> => {
          const isInScope = memoised((name) => NamespaceFilter.matches(namespaces, name, reading.labels(name)))
          const wanted = WorkloadFilter.wanted(filter, namespaces._tag === "All" ? undefined : isInScope)
          const { count, first } = RowPick.pick(reading.store.rows, wanted, part)
          return {
            value: { first, reached: new Set(asked.filter(isInScope)) },
            count,
            ageMs: reading.ageMs,
            isStale: reading.isStale,
            staleCause: reading.staleCause,
            missingKinds: reading.missingKinds
          }
        }
        const { ask, askNow } = byReading(reader, question, answerOf)
        const options = {
          source: consistency,
          timeoutMs,
          askNow: (cluster: Cluster, now: number) => {
            const answer = askNow(cluster, now)
            // Of a cluster that is waited for, the deadline may still take the answer away.
            if (answer !== undefined) bound.take(answer.value.first)
            return answer
          }
        }
        const replies = yield* fanOut.ask(target.clusters, options, ask)
        if (needsLabels && replies.length > 0) {
          yield* refuseOutside(asked, (name) => replies.some(({ value }) => value?.reached.has(name) === true))
        }
        return MergedList.assemble(replies.map(firstRows), paging)
      })

      return Workloads.of({ list })
    })
  )
}

/** One cluster's part of the page, and which of the namespaces asked for are in scope there. */
interface Part {
  readonly first: ReadonlyArray<WorkloadRow>
  readonly reached: ReadonlySet<string>
}

const firstRows = ({ coverage, value }: Reply<Part>): Reply<ReadonlyArray<WorkloadRow>> => ({
  coverage,
  value: value?.first
})

const refuseOutside = (
  asked: ReadonlyArray<string>,
  isReached: (name: string) => boolean
): Effect.Effect<void, NamespaceForbidden> => {
  const outside = asked.find((name) => !isReached(name))
  return outside === undefined ? Effect.void : Effect.fail(new NamespaceForbidden({ namespace: outside }))
}

/** A namespace holds many rows; its scope is decided once. */
const memoised = (decide: (name: string) => boolean): ((name: string) => boolean) => {
  const known = new Map<string, boolean>()
  return (name) => {
    const before = known.get(name)
    if (before !== undefined) return before
    const decided = decide(name)
    known.set(name, decided)
    return decided
  }
}
