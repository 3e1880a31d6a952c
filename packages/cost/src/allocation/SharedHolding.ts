/**
 * Splits a resource over its holders: a volume over the pods that mount it, a load balancer over the pods behind it.
 */
import { overlap, secondsIn, type Intervals, union } from "./Intervals.ts"

/**
 * A pod that uses the resource, and the time in which it does. Holders with the same `key` belong to the same `owner`.
 */
export interface Holder<Owner> {
  readonly key: string
  readonly owner: Owner
  readonly held: Intervals
}

/** Fixed-point units per second. Rounding an uneven split loses less than a billionth of a second, and sums stay exact. */
const PARTS = 2 ** 40

/**
 * Splits an integer rate evenly over the holders of each moment.
 *
 * **Shape** `there` is the time in which the resource existed, `seen` the time in which the cluster was observed. The
 * whole amounts passed to `charge` add up to the rate times the seconds. Time without a holder is charged to
 * `undefined`. An owner with two of three holders pays two thirds. Cumulative sums are rounded in key order, so each
 * owner is within 1 of its exact share, and adjacent times add up.
 *
 * **Limits** n log n in the holders, plus n for each interval of `seen`.
 */
export const split = <Owner>(
  rate: number,
  there: Intervals,
  seen: Intervals,
  holders: ReadonlyArray<Holder<Owner>>,
  charge: (owner: Owner | undefined, amount: number) => void
): void => {
  const owners = byOwner(holders, there)
  const held = union(owners.flatMap((owned) => owned.held.flat()))
  const free = secondsIn(overlap(there, seen)) - secondsIn(overlap(held, seen))
  if (free > 0) charge(undefined, rate * free)
  if (owners.length === 0) return
  const partsAt = evenParts(owners, seen)
  for (let at = 0; at < seen.length; at += 2) {
    const before = amountsAt(seen[at] ?? 0, rate, owners, held, partsAt)
    const after = amountsAt(seen[at + 1] ?? 0, rate, owners, held, partsAt)
    for (const [place, { owner }] of owners.entries()) {
      const amount = (after[place] ?? 0) - (before[place] ?? 0)
      if (amount !== 0) charge(owner, amount)
    }
  }
}

/** An owner with the intervals of each of its holders. */
interface Owned<Owner> {
  readonly owner: Owner
  readonly held: Array<Intervals>
}

const byOwner = <Owner>(holders: ReadonlyArray<Holder<Owner>>, there: Intervals): ReadonlyArray<Owned<Owner>> => {
  const owners = new Map<string, Owned<Owner>>()
  for (const { held, key, owner } of holders) {
    const common = overlap(held, there)
    if (common.length === 0) continue
    const owned = owners.get(key) ?? { owner, held: [] }
    owners.set(key, owned)
    owned.held.push(common)
  }
  return [...owners].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, owned]) => owned)
}

/**
 * Returns, by second, the share of the resource that one holder gets if it holds the resource from the start of the
 * hour until that second. Has a value for each second at which the number of holders changes or an interval of `seen`
 * starts or ends. **Units** {@link PARTS} per second of sole use.
 */
const evenParts = <Owner>(owners: ReadonlyArray<Owned<Owner>>, seen: Intervals): ReadonlyMap<number, number> => {
  const changes = new Map(seen.map((second) => [second, 0]))
  for (const { held } of owners) {
    for (const intervals of held) {
      for (const [place, second] of intervals.entries()) {
        changes.set(second, (changes.get(second) ?? 0) + (place % 2 === 0 ? 1 : -1))
      }
    }
  }
  const parts = new Map<number, number>()
  let count = 0
  let last = 0
  let sum = 0
  for (const [second, change] of [...changes].toSorted(([a], [b]) => a - b)) {
    if (count > 0) sum += Math.floor(((second - last) * PARTS) / count)
    parts.set(second, sum)
    count += change
    last = second
  }
  return parts
}

/** Returns the amount that each owner is charged from the start of the hour up to a second. */
const amountsAt = <Owner>(
  second: number,
  rate: number,
  owners: ReadonlyArray<Owned<Owner>>,
  held: Intervals,
  partsAt: ReadonlyMap<number, number>
): ReadonlyArray<number> => {
  let parts = 0
  const partsUpTo = owners.map((owned) => {
    for (const intervals of owned.held) {
      for (const [place, bound] of intervals.entries()) {
        const had = partsAt.get(Math.min(second, bound)) ?? 0
        parts += place % 2 === 0 ? -had : had
      }
    }
    return parts
  })
  if (parts === 0) return owners.map(() => 0)
  const whole = rate * secondsIn(overlap(held, [0, second]))
  let before = 0
  return partsUpTo.map((upTo) => {
    const rounded = Math.round(whole * (upTo / parts))
    const amount = rounded - before
    before = rounded
    return amount
  })
}
