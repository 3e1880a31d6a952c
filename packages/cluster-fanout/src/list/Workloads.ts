/**
 * Lists workloads of many clusters as one.
 */
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { Target } from "@quarterdeck/targeting/Target"
import { Context, Effect, Layer } from "effect"
import type { Cluster } from "../registry/Cluster.ts"
import { ClusterReader } from "../cache/ClusterReader.ts"
import { CursorKey } from "./Cursor.ts"
import { type Answer, FanOut, type Reply } from "./FanOut.ts"
import * as Kind from "../projection/Kind.ts"
import * as LabelSelector from "./LabelSelector.ts"
import { type CursorInvalid, type FanOutFailed, NamespaceForbidden } from "./ListError.ts"
import type * as ListQuery from "./ListQuery.ts"
import * as MergedList from "./MergedList.ts"
import * as PageMerge from "./PageMerge.ts"
import type { WorkloadRow } from "../projection/Row.ts"
import * as RowOrder from "./RowOrder.ts"

/** **Shape** every given field must match; several values of one field mean any of them. `name` is a substring. */
export interface WorkloadFilter {
  readonly namespace?: ReadonlyArray<string>
  readonly kind?: ReadonlyArray<string>
  readonly labelSelector?: LabelSelector.LabelSelector
  readonly name?: string
}

/** **Shape** `namespaces` is what the key reaches; `cursorBinding` names the key, so that cursors serve it alone. */
export interface WorkloadQuery {
  readonly target: Target
  readonly namespaces: NamespaceFilter.NamespaceFilter
  readonly filter: WorkloadFilter
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
     * **Limits** ends within the page's `timeoutMs`; a page costs a scan of the rows, never a sort of all.
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
        const paging = MergedList.pagingOf("workloads", query, { key, filter: canonical(filter), order: orderOf(page) })
        const after = yield* MergedList.startOf(paging, page.cursor)
        const needsLabels = NamespaceFilter.needsLabels(namespaces)
        const asked = filter.namespace ?? []
        if (!needsLabels) yield* refuseOutside(asked, (name) => NamespaceFilter.matches(namespaces, name, undefined))

        const { consistency, timeoutMs } = page
        const question = { kinds: Kind.neededFor(filter.kind), consistency, timeoutMs, needsLabels }
        const isReady = (cluster: Cluster) => reader.isReady(cluster, question)
        const ask = Effect.fnUntraced(function* (cluster: Cluster) {
          const reading = yield* reader.read(cluster, question)
          const reaches = memoised((name) => NamespaceFilter.matches(namespaces, name, reading.labels(name)))
          const selection = yield* PageMerge.select(reading.store.workloads(), {
            matches: both(matcherOf(filter), (row) => reaches(row.namespace)),
            order: paging.order,
            after,
            size: page.limit + 1
          })
          const answer: Answer<Part> = {
            value: { first: selection.first, reached: new Set(asked.filter(reaches)) },
            count: selection.count,
            ageMs: reading.ageMs,
            isStale: reading.isStale,
            staleCause: reading.staleCause,
            missingKinds: reading.missingKinds
          }
          return answer
        })

        const replies = yield* fanOut.ask(target.clusters, { source: consistency, timeoutMs, isReady }, ask)
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

/** Spells a filter in one way, whatever the order in which it was written. */
const canonical = (filter: WorkloadFilter) => [
  filter.namespace?.toSorted() ?? null,
  filter.kind?.toSorted() ?? null,
  LabelSelector.print(filter.labelSelector ?? LabelSelector.everything),
  filter.name ?? null
]

const matcherOf = ({ kind, labelSelector, name, namespace }: WorkloadFilter): ((row: WorkloadRow) => boolean) => {
  const kinds = kind === undefined ? undefined : new Set(kind)
  const namespaces = namespace === undefined ? undefined : new Set(namespace)
  return (row) =>
    (kinds === undefined || kinds.has(row.kind))
    && (namespaces === undefined || namespaces.has(row.namespace))
    && (name === undefined || row.name.includes(name))
    && (labelSelector === undefined || LabelSelector.matches(labelSelector, row.labels))
}

const both =
  <A>(one: (value: A) => boolean, other: (value: A) => boolean) =>
  (value: A) =>
    one(value) && other(value)

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

const NUMBERS = new Set<ListQuery.WorkloadSort>(["cpuRequestMillis", "memoryRequestBytes"])

const orderOf = ({ order, sort }: ListQuery.Page<ListQuery.WorkloadSort>): RowOrder.RowOrder<WorkloadRow> =>
  RowOrder.make<WorkloadRow>({ type: NUMBERS.has(sort) ? "number" : "text", read: (row) => row[sort] }, order, TIES)

const TIES = [
  RowOrder.text<WorkloadRow>((row) => row.cluster),
  RowOrder.text<WorkloadRow>((row) => row.namespace),
  RowOrder.text<WorkloadRow>((row) => row.kind),
  RowOrder.text<WorkloadRow>((row) => row.name),
  RowOrder.text<WorkloadRow>((row) => row.id)
]
