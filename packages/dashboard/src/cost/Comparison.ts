/**
 * Whether the costs of two periods can be compared.
 */

/** For how much of a period a cluster was seen. **Units** hours. */
interface Seen {
  readonly name: string
  readonly hoursCovered: number
  readonly hoursInWindow: number
}

/** How much more of one period than of the other may have been seen. **Units** a part of one. */
const MOST_DIFFERENCE = 0.05

const partOf = (seen: Seen | undefined): number =>
  seen === undefined || seen.hoursInWindow === 0 ? 0 : seen.hoursCovered / seen.hoursInWindow

/** Tells whether any of a period was seen. */
export const isSeen = (clusters: ReadonlyArray<Seen>): boolean => clusters.some(({ hoursCovered }) => hoursCovered > 0)

/**
 * Tells whether a change between two periods is one of costs, not of what was seen.
 *
 * **Shape** every cluster of either period was seen for as much of both, up to {@link MOST_DIFFERENCE}.
 */
export const isComparable = (now: ReadonlyArray<Seen>, before: ReadonlyArray<Seen>): boolean => {
  if (!isSeen(before)) return false
  const nowOf = new Map(now.map((seen) => [seen.name, seen]))
  const beforeOf = new Map(before.map((seen) => [seen.name, seen]))
  const names = new Set([...nowOf.keys(), ...beforeOf.keys()])
  return [...names].every(
    (name) => Math.abs(partOf(nowOf.get(name)) - partOf(beforeOf.get(name))) <= MOST_DIFFERENCE + Number.EPSILON
  )
}
