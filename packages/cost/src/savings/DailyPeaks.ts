/**
 * The greatest bucket that each replica reached on the newest day, so that a replica counts once a day.
 */

/** Replicas of a container that are followed through a day; of more, those with the least numbers: a fair sample. */
export const MAX_REPLICAS = 256

/**
 * The bucket of each replica's peak on one day.
 *
 * **Shape** `day` counts days since the epoch; `replicas` are numbers, rising, and `buckets` has a place for each.
 */
export interface DailyPeaks {
  day: number
  replicas: Array<number>
  buckets: Array<number>
}

/** What a peak changes of a distribution: a bucket that counts no more, one that counts now; -1 for none. */
export interface Change {
  readonly removed: number
  readonly added: number
}

const UNCHANGED: Change = { removed: -1, added: -1 }

export const make = (): DailyPeaks => ({ day: -1, replicas: [], buckets: [] })

/** Begins a day; the peaks of the day before are what they are. */
export const begin = (peaks: DailyPeaks, day: number): void => {
  peaks.day = day
  peaks.replicas = []
  peaks.buckets = []
}

/**
 * Notes what a replica reached.
 *
 * The order of peaks changes nothing in the end. **Limits** a bisection, and at most {@link MAX_REPLICAS} moves.
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
  // New arrays, as long as they must be: there are very many of them.
  peaks.replicas = replicas.toSpliced(place, 0, replica).slice(0, MAX_REPLICAS)
  peaks.buckets = buckets.toSpliced(place, 0, bucket).slice(0, MAX_REPLICAS)
  return { removed, added: bucket }
}

/**
 * Gives the number of a replica.
 *
 * 32 bits; two replicas of one container that share a number, one in four billion, count as one.
 *
 * **Source** Fowler, Noll and Vo, FNV-1a, over UTF-16 code units, mixed as Appleby's MurmurHash3 ends (`fmix32`), so that
 * the least numbers are a fair sample.
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
