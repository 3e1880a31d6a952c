/**
 * The hours that rank the pages of one list: those that were closed when its first page was requested.
 *
 * Between two requests, costs of the open hour grow and a rolling range moves. If they affected the ranking, a row could move
 * from a later page to a page that was already returned. The caller would then miss that row.
 */
import { RowOrder } from "@quarterdeck/cluster-fanout"
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import { hourOf } from "../hour/Units.ts"
import type { Window } from "../hour/Window.ts"
import type { Begun } from "./ReportContext.ts"

type ReadRange = Pick<Begun, "range" | "reader">

/**
 * Returns the ranking hours: those in the cursor, or the hours that are closed now.
 *
 * **Shape** `undefined` if no hour was closed. Rows are then ranked by the open hour.
 */
export const of = (
  { range, reader }: ReadRange,
  clusters: ReadonlyArray<HistoryName>,
  after: RowOrder.Position | undefined
): Window | undefined => {
  const [, , fromMs, toMs] = after ?? []
  const { hours } = range
  const startMs = typeof fromMs === "number" ? fromMs : hours.startMs
  const endMs =
    typeof toMs === "number"
      ? toMs
      : clusters.reduce((least, cluster) => Math.min(least, reader.openFromMs(cluster) ?? least), hourOf(range.endMs))
  return endMs > startMs ? { startMs, endMs } : undefined
}

/** Returns true if the closed parts that the report has read cover exactly the ranking hours. */
export const isClosedPart = (
  { range, reader }: ReadRange,
  clusters: ReadonlyArray<HistoryName>,
  { endMs, startMs }: Window
): boolean =>
  startMs === range.hours.startMs
  && clusters.every(
    (cluster) => Math.min(reader.openFromMs(cluster) ?? hourOf(range.endMs), range.hours.endMs) === endMs
  )
