/**
 * Events of the audit, and how those that come later are put among them.
 */
import type { AuditList } from "@quarterdeck/contract/AuditGroup"
import { DateTime } from "effect"

export type AuditEvent = AuditList["events"][number]

/** When an event was decided. **Units** milliseconds since the epoch. */
export const atMs = ({ at }: Pick<AuditEvent, "at">): number => DateTime.toEpochMillis(at)

/**
 * Puts events in order, each once, the newest first.
 *
 * **Shape** whatever order they came in: pages and what is followed overlap, and some are written after others that were
 * decided later.
 */
export const inOrder = <Event extends Pick<AuditEvent, "at" | "id">>(
  events: ReadonlyArray<Event>
): ReadonlyArray<Event> =>
  [...new Map(events.map((event) => [event.id, event])).values()].toSorted(
    (a, b) => atMs(b) - atMs(a) || Number(b.id) - Number(a.id)
  )

/**
 * Tells whether events may be missing between those that are shown and those that were read since.
 *
 * **Shape** `newest` is the newest that is shown, if any is; `isCut`: more have come than were read.
 */
export const isGap = <Event extends Pick<AuditEvent, "id">>(
  newest: Event | undefined,
  { events, isCut }: { readonly events: ReadonlyArray<Event>; readonly isCut: boolean }
): boolean => isCut && !events.some(({ id }) => id === newest?.id)
