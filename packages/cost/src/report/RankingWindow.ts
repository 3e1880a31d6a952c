/**
 * The hours by which the pages of one list are ranked: those that were over when its first page was asked for.
 *
 * What is open grows from one page to the next, and a rolling range moves on. By that, a row could move from a page that is
 * still to come to one that was given already, and be on none.
 */
import { RowOrder } from "@quarterdeck/cluster-fanout"
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import { hourOf } from "../hour/Units.ts"
import type { Window } from "../hour/Window.ts"
import type { Begun } from "./ReportContext.ts"

type Asked = Pick<Begun, "range" | "reader">

/**
 * Gives those hours, as the cursor tells them or as they are now.
 *
 * **Shape** `undefined` where none was over: what there is of the open hour ranks then.
 */
export const of = (
  { range, reader }: Asked,
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

/** Tells whether what a report reads as closed is of just those hours. */
export const isClosedPart = (
  { range, reader }: Asked,
  clusters: ReadonlyArray<HistoryName>,
  { endMs, startMs }: Window
): boolean =>
  startMs === range.hours.startMs
  && clusters.every(
    (cluster) => Math.min(reader.openFromMs(cluster) ?? hourOf(range.endMs), range.hours.endMs) === endMs
  )
