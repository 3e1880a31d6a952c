/**
 * What a list of events is narrowed to.
 */
import type { EventRecord } from "../projection/EventProjection.ts"
import type { NamedOwner } from "../projection/Owner.ts"
import type { Wanted } from "./RowPick.ts"

/**
 * Selects events: every given field must match, and several values of one mean any of them. `regarding` is what an
 * event is about.
 */
export interface EventFilter {
  readonly namespace?: ReadonlyArray<string>
  readonly type?: ReadonlyArray<string>
  readonly reason?: ReadonlyArray<string>
  readonly regarding?: NamedOwner
}

const TYPES = ["Normal", "Warning"]

/** Gives a type as clusters write it, in whatever case it was asked for: another would find nothing, and be taken for calm. */
const typeOf = (text: string): string => TYPES.find((type) => type.toLowerCase() === text.toLowerCase()) ?? text

/** Spells a filter in one way, whatever the order in which it was written. */
export const canonical = ({ namespace, reason, regarding, type }: EventFilter) => [
  namespace?.toSorted() ?? null,
  type?.map(typeOf).toSorted() ?? null,
  reason?.toSorted() ?? null,
  regarding === undefined ? null : [regarding.kind, regarding.name]
]

/**
 * Joins a filter with a scope.
 *
 * **Shape** `isInScope` absent means every namespace, and events of the cluster scope, which no namespace names.
 */
export const wanted = (
  { namespace, reason, regarding, type }: EventFilter,
  isInScope: ((namespace: string) => boolean) | undefined
): Wanted<EventRecord> => {
  const asked = namespace === undefined ? undefined : new Set(namespace)
  const reasons = reason === undefined ? undefined : new Set(reason)
  const isScoped = asked !== undefined || isInScope !== undefined
  return {
    reaches: isScoped ? (each) => each !== "" && asked?.has(each) !== false && isInScope?.(each) !== false : undefined,
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
