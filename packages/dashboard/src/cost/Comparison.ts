/**
 * Compares the coverage of two periods.
 */

/** Coverage of a cluster in a period. **Units** hours. */
interface Seen {
  readonly name: string
  readonly hoursCovered: number
  readonly hoursInWindow: number
}

/** Maximum difference between the coverages of two comparable periods, as a share of a period. */
const MAX_DIFFERENCE = 0.05

const partOf = (seen: Seen | undefined): number =>
  seen === undefined || seen.hoursInWindow === 0 ? 0 : seen.hoursCovered / seen.hoursInWindow

/** Returns true if the server saw any part of a period. */
export const isSeen = (clusters: ReadonlyArray<Seen>): boolean => clusters.some(({ hoursCovered }) => hoursCovered > 0)

/**
 * Returns true if the costs of two periods are comparable.
 *
 * **Shape** the coverage of each cluster differs by {@link MAX_DIFFERENCE} at most.
 */
export const isComparable = (now: ReadonlyArray<Seen>, before: ReadonlyArray<Seen>): boolean => {
  if (!isSeen(before)) return false
  const nowOf = new Map(now.map((seen) => [seen.name, seen]))
  const beforeOf = new Map(before.map((seen) => [seen.name, seen]))
  const names = new Set([...nowOf.keys(), ...beforeOf.keys()])
  return [...names].every(
    (name) => Math.abs(partOf(nowOf.get(name)) - partOf(beforeOf.get(name))) <= MAX_DIFFERENCE + Number.EPSILON
  )
}
