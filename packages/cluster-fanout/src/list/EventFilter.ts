/**
 * Filters a list of events.
 */
import type { EventRecord } from "../projection/EventProjection.ts"
import type { NamedOwner } from "../projection/Owner.ts"
import type { Wanted } from "./PageSelection.ts"

/**
 * Selects events. Every given field must match; several values of a field mean any of them. `regarding` is the object
 * that the event is about.
 */
export interface EventFilter {
  readonly namespace?: ReadonlyArray<string>
  readonly type?: ReadonlyArray<string>
  readonly reason?: ReadonlyArray<string>
  readonly regarding?: NamedOwner
}

const TYPES = ["Normal", "Warning"]

/** Normalises the case of an event type: `warning` selects events of type `Warning`. */
const typeOf = (text: string): string => TYPES.find((type) => type.toLowerCase() === text.toLowerCase()) ?? text

/** Returns a canonical form of the filter, independent of the order of its values. */
export const canonical = ({ namespace, reason, regarding, type }: EventFilter) => [
  namespace?.toSorted() ?? null,
  type?.map(typeOf).toSorted() ?? null,
  reason?.toSorted() ?? null,
  regarding === undefined ? null : [regarding.kind, regarding.name]
]

/**
 * Combines a filter with a key's scope.
 *
 * **Shape** without `isInScope`, every namespace matches, and so do events of cluster-scoped objects.
 */
export const wanted = (
  { namespace, reason, regarding, type }: EventFilter,
  isInScope: ((namespace: string) => boolean) | undefined
): Wanted<EventRecord> => {
  const namespaces = namespace === undefined ? undefined : new Set(namespace)
  const reasons = reason === undefined ? undefined : new Set(reason)
  const isScoped = namespaces !== undefined || isInScope !== undefined
  return {
    reaches: isScoped
      ? (name) => name !== "" && namespaces?.has(name) !== false && isInScope?.(name) !== false
      : undefined,
    groups: type === undefined ? undefined : new Set(type.map(typeOf)),
    matches:
      reasons === undefined && regarding === undefined
        ? undefined
        : ({ row }) =>
            reasons?.has(row.reason) !== false
            && (regarding === undefined
              || (row.regarding.kind === regarding.kind && row.regarding.name === regarding.name))
  }
}
