/**
 * Merges the answers of several clusters into one page.
 */
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import type { Target } from "@quarterdeck/targeting/Target"
import { Effect, type Redacted, Result } from "effect"
import * as Coverage from "../kube/Coverage.ts"
import * as Cursor from "./Cursor.ts"
import type { Reply } from "./FanOut.ts"
import type { CursorInvalid } from "./ListError.ts"
import type { Page } from "./ListQuery.ts"
import { merge } from "./PageMerge.ts"
import type { Position, RowOrder } from "../projection/RowOrder.ts"

/** A page of rows of many clusters. `clusters` keeps the target's order; `nextCursor` is absent on the last page. */
export interface MergedList<Row> {
  readonly items: ReadonlyArray<Row>
  readonly clusters: ReadonlyArray<Coverage.Coverage>
  readonly partial: boolean
  readonly nextCursor?: string
  /** Returns the cursor for the page if only its first `count` rows are kept. `count` is at least 1. */
  readonly cursorAfter: (count: number) => string | undefined
}

/** Properties shared by all pages of one list. **Shape** `binding` identifies the list. */
export interface Paging<Row> {
  readonly key: Redacted.Redacted<Uint8Array>
  readonly binding: string
  readonly order: RowOrder<Row>
  readonly limit: number
}

/** A list request. **Shape** `cursorBinding` identifies the caller's key. */
export interface Question {
  readonly target: Target<HistoryName>
  readonly page: Page<string>
  readonly cursorBinding: string
}

/**
 * Derives a list's cursor binding from its name, key, target, filter and order.
 *
 * **Shape** `filter` is in canonical form. A target of all clusters keeps its binding when clusters are added or
 * removed.
 */
export const pagingOf = <Row>(
  list: string,
  { cursorBinding, page, target }: Question,
  { filter, key, order }: Pick<Paging<Row>, "key" | "order"> & { readonly filter: unknown }
): Paging<Row> => {
  const clusters = target.mode === "Named" ? target.clusters : []
  const binding = JSON.stringify([list, cursorBinding, target.mode, clusters, filter, page.sort, page.order])
  return { key, binding, order, limit: page.limit }
}

/** Decodes the cursor: the position after which the page begins. */
export const startOf = <Row>(
  paging: Paging<Row>,
  cursor: string | undefined
): Effect.Effect<Position | undefined, CursorInvalid> => Effect.fromResult(placeOf(paging, cursor))

/** Does the same as `startOf`, without an effect. */
export const placeOf = <Row>(
  { binding, key, order }: Paging<Row>,
  cursor: string | undefined
): Result.Result<Position | undefined, CursorInvalid> =>
  cursor === undefined ? Result.succeed(undefined) : Cursor.open(key, binding, order, cursor)

/**
 * Merges the replies into the page.
 *
 * **Shape** the rows of each reply, and `merged`, are sorted and hold at most one row more than the page's limit.
 * `merged` has rows that were merged before.
 */
export const assemble = <Row>(
  replies: ReadonlyArray<Reply<ReadonlyArray<Row>>>,
  paging: Paging<Row>,
  merged: ReadonlyArray<Row> = []
): MergedList<Row> => {
  const clusters = replies.map((reply) => reply.coverage)
  const { isLast, items } = merge([merged, ...replies.map((reply) => reply.value ?? [])], paging.order, paging.limit)
  const cursorAfter = (count: number) => {
    const last = items[count - 1]
    return last === undefined ? undefined : Cursor.seal(paging.key, paging.binding, paging.order.position(last))
  }
  const nextCursor = isLast ? undefined : cursorAfter(items.length)
  return {
    items,
    clusters,
    partial: Coverage.isPartial(clusters),
    ...(nextCursor === undefined ? {} : { nextCursor }),
    cursorAfter
  }
}
