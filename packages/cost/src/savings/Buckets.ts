/**
 * The buckets of a histogram: where each of them starts.
 */

/**
 * The buckets of a histogram, 256 at most.
 *
 * **Shape** `starts` rises from 0; a bucket ends where the next starts, and the last has no end. `coarse` has the
 * bucket of the least number of each {@link placeOf}.
 */
export interface Buckets {
  readonly starts: Float64Array
  readonly coarse: Uint8Array
}

/** Makes buckets that start as told. */
export const fromStarts = (starts: Float64Array): Buckets => {
  const coarse = new Uint8Array(PLACES)
  for (const place of coarse.keys()) {
    bits[0] = place << PLACE_SHIFT
    const least = single[0] ?? 0
    coarse[place] = Math.max(
      0,
      starts.findLastIndex((start) => start <= least)
    )
  }
  return { starts, coarse }
}

/**
 * Makes buckets each of which is wider than the one before by a ratio.
 *
 * The first is `firstSize` wide, and the last starts at `largest` or above.
 *
 * **Source** Kubernetes Vertical Pod Autoscaler, `pkg/recommender/util/histogram_options.go`: bucket n starts at
 * firstSize x (ratio^n - 1) / (ratio - 1).
 */
export const exponential = (options: {
  readonly firstSize: number
  readonly ratio: number
  readonly largest: number
}): Buckets => {
  const { firstSize, largest, ratio } = options
  const count = Math.ceil(Math.log((largest * (ratio - 1)) / firstSize + 1) / Math.log(ratio)) + 1
  return fromStarts(Float64Array.from({ length: count }, (_, n) => (firstSize * (ratio ** n - 1)) / (ratio - 1)))
}

/**
 * Finds the bucket that holds a value.
 *
 * The first for all that is below 0, the last for all above. **Limits** a look into a table, and a step for each
 * bucket that starts within a thirty-second of the value's power of two.
 */
export const bucketOf = ({ coarse, starts }: Buckets, value: number): number => {
  if (!(value > 0)) return 0
  let bucket = coarse[placeOf(value)] ?? 0
  while (bucket > 0 && (starts[bucket] ?? 0) > value) bucket--
  while ((starts[bucket + 1] ?? Number.POSITIVE_INFINITY) <= value) bucket++
  return bucket
}

/** Gives where a bucket ends; of the last, which has no end, where it starts. */
export const endOf = ({ starts }: Buckets, bucket: number): number =>
  starts[Math.min(bucket + 1, starts.length - 1)] ?? 0

/** A number of single precision without its sign, by its exponent and the first five bits after it. */
const PLACE_SHIFT = 18
const PLACES = 2 ** (31 - PLACE_SHIFT)
const single = new Float32Array(1)
const bits = new Int32Array(single.buffer)

const placeOf = (value: number): number => {
  single[0] = value
  return (bits[0] ?? 0) >>> PLACE_SHIFT
}
