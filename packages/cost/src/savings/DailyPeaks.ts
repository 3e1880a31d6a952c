/**
 * The highest memory bucket that each replica reached on the newest day, so that a replica counts once a day.
 */

/** Maximum number of replicas tracked per container. If there are more, those with the lowest hashes are a fair sample. */
export const MAX_REPLICAS = 256

/**
 * The peak bucket of each replica on one day.
 *
 * **Shape** `day` is in days since the epoch. `replicas` has the hashes of the replicas, ascending. `buckets` has the
 * bucket of each.
 */
export interface DailyPeaks {
  day: number
  replicas: Array<number>
  buckets: Array<number>
}

/** Effect of a peak on the histogram: a bucket to remove a sample from, and one to add it to. -1 for none. */
export interface Change {
  readonly removed: number
  readonly added: number
}

const UNCHANGED: Change = { removed: -1, added: -1 }

export const make = (): DailyPeaks => ({ day: -1, replicas: [], buckets: [] })

/** Starts a new day with no peaks. */
export const begin = (peaks: DailyPeaks, day: number): void => {
  peaks.day = day
  peaks.replicas = []
  peaks.buckets = []
}

/**
 * Records the peak of a replica. The result does not depend on the order of peaks.
 *
 * **Limits** a binary search, and at most {@link MAX_REPLICAS} moves.
 */
export const note = (peaks: DailyPeaks, replica: number, bucket: number): Change => {
  const { buckets, replicas } = peaks
  const place = placeOf(replicas, replica)
  if (replicas[place] === replica) {
    const known = buckets[place] ?? 0
    if (bucket <= known) return UNCHANGED
    buckets[place] = bucket
    return { removed: known, added: bucket }
  }
  if (place >= MAX_REPLICAS) return UNCHANGED
  const removed = buckets[MAX_REPLICAS - 1] ?? -1
  // Exact-length copies save memory, because there are many of these arrays.
  peaks.replicas = replicas.toSpliced(place, 0, replica).slice(0, MAX_REPLICAS)
  peaks.buckets = buckets.toSpliced(place, 0, bucket).slice(0, MAX_REPLICAS)
  return { removed, added: bucket }
}

/**
 * Returns the 32-bit hash of a replica. Two replicas of one container with the same hash count as one.
 *
 * **Source** Fowler, Noll and Vo, FNV-1a, over UTF-16 code units, with the finalizer of Appleby's MurmurHash3 (`fmix32`), so
 * that the lowest hashes are a fair sample.
 */
export const numberOf = (replica: string): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < replica.length; at++) hash = Math.imul(hash ^ replica.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}

const placeOf = (replicas: ReadonlyArray<number>, replica: number): number => {
  let low = 0
  let high = replicas.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((replicas[middle] ?? 0) < replica) low = middle + 1
    else high = middle
  }
  return low
}
