/**
 * Lists namespaces of many clusters.
 */
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { Target } from "@quarterdeck/targeting/Target"
import { Context, Effect, Layer } from "effect"
import { ClusterReader, type Question, type Reading } from "../cache/ClusterReader.ts"
import { CursorKey } from "./Cursor.ts"
import { byReading, FanOut } from "./FanOut.ts"
import * as LabelSelector from "./LabelSelector.ts"
import type { CursorInvalid, FanOutFailed } from "./ListError.ts"
import type * as ListQuery from "./ListQuery.ts"
import * as MergedList from "./MergedList.ts"
import * as PageMerge from "./PageMerge.ts"
import type { NamespaceRecord } from "../projection/Projection.ts"
import type { NamespaceRow } from "../projection/Row.ts"
import * as RowOrder from "../projection/RowOrder.ts"

/** Selects namespaces. Every given field must match; `name` is a substring. */
export interface NamespaceListFilter {
  readonly labelSelector?: LabelSelector.LabelSelector
  readonly name?: string
}

/** Asks for a page of namespaces. `namespaces` limits the key's access; `cursorBinding` identifies the key. */
export interface NamespaceQuery {
  readonly target: Target
  readonly namespaces: NamespaceFilter.NamespaceFilter
  readonly filter: NamespaceListFilter
  readonly page: ListQuery.Page<ListQuery.NamespaceSort>
  readonly cursorBinding: string
}

export class Namespaces extends Context.Service<
  Namespaces,
  {
    /**
     * Lists the namespaces of the target that the key may see and the filter matches.
     *
     * **Errors** `CursorInvalid`; `FanOutFailed` if no addressed cluster answered.
     */
    readonly list: (
      query: NamespaceQuery
    ) => Effect.Effect<MergedList.MergedList<NamespaceRow>, FanOutFailed | CursorInvalid>
  }
>()("@quarterdeck/cluster-fanout/Namespaces") {
  static readonly layer = Layer.effect(
    Namespaces,
    Effect.gen(function* () {
      const fanOut = yield* FanOut
      const reader = yield* ClusterReader
      const key = yield* CursorKey

      const list = Effect.fn("Namespaces.list")(function* (query: NamespaceQuery) {
        const { filter, namespaces, page, target } = query
        const paging = MergedList.pagingOf("namespaces", query, {
          key,
          filter: canonical(filter),
          order: orderOf(page)
        })
        const after = yield* MergedList.startOf(paging, page.cursor)
        const { consistency, timeoutMs } = page
        const needsLabels = NamespaceFilter.needsLabels(namespaces)
        const question: Question = { kinds: ["Namespace"], consistency, timeoutMs, needsLabels }
        const answerOf = ({ ageMs, isStale, labels, missingKinds, staleCause, store }: Reading) => {
          const { count, first } = PageMerge.selectNow(store.namespaces().values(), {
            matches: (row) => matches(filter, row) && NamespaceFilter.matches(namespaces, row.name, labels(row.name)),
            order: paging.order,
            after,
            size: page.limit + 1
          })
          const value: ReadonlyArray<NamespaceRow> = first.map(toRow)
          return { value, count, ageMs, isStale, staleCause, missingKinds }
        }
        const { ask, askNow } = byReading(reader, question, answerOf)
        return MergedList.assemble(
          yield* fanOut.ask(target.clusters, { source: consistency, timeoutMs, askNow }, ask),
          paging
        )
      })

      return Namespaces.of({ list })
    })
  )
}

const canonical = ({ labelSelector, name }: NamespaceListFilter) => [
  LabelSelector.print(labelSelector ?? LabelSelector.everything),
  name ?? null
]

const matches = ({ labelSelector, name }: NamespaceListFilter, row: NamespaceRow): boolean =>
  (name === undefined || row.name.includes(name))
  && (labelSelector === undefined || LabelSelector.matches(labelSelector, row.labels))

/** Rows by record. The row of a record keeps its identity, because other caches use rows as keys. */
const rows = new WeakMap<NamespaceRecord, NamespaceRow>()

const toRow = (record: NamespaceRecord): NamespaceRow => {
  const known = rows.get(record)
  if (known !== undefined) return known
  const { cluster, createdAt, id, labels, name, phase } = record
  const row = { id, cluster, name, labels, phase, createdAt }
  rows.set(record, row)
  return row
}

const orderOf = ({ order, sort }: ListQuery.Page<ListQuery.NamespaceSort>): RowOrder.RowOrder<NamespaceRow> =>
  RowOrder.make<NamespaceRow>(
    RowOrder.text((row) => row[sort]),
    order,
    TIES
  )

const TIES = [
  RowOrder.text<NamespaceRow>((row) => row.cluster),
  RowOrder.text<NamespaceRow>((row) => row.name),
  RowOrder.text<NamespaceRow>((row) => row.id)
]
