/**
 * Merges audit events that are read at different times.
 */
import type { AuditList } from "@quarterdeck/contract/AuditGroup"
import { DateTime } from "effect"

export type AuditEvent = AuditList["events"][number]

/** Time of an event. **Units** milliseconds since the epoch. */
export const atMs = ({ at }: Pick<AuditEvent, "at">): number => DateTime.toEpochMillis(at)

/**
 * Sorts events, the newest first, and removes duplicates.
 *
 * **Shape** the input may have any order, because pages and new events overlap and the log is not strictly sorted by time.
 */
export const inOrder = <Event extends Pick<AuditEvent, "at" | "id">>(
  events: ReadonlyArray<Event>
): ReadonlyArray<Event> =>
  [...new Map(events.map((event) => [event.id, event])).values()].toSorted(
    (a, b) => atMs(b) - atMs(a) || Number(b.id) - Number(a.id)
  )

/**
 * Returns true if events may be missing between the shown events and the new ones.
 *
 * **Shape** `newest` is the newest shown event. `isCut` means that the server has more new events than were read.
 */
export const isGap = <Event extends Pick<AuditEvent, "id">>(
  newest: Event | undefined,
  { events, isCut }: { readonly events: ReadonlyArray<Event>; readonly isCut: boolean }
): boolean => isCut && !events.some(({ id }) => id === newest?.id)
