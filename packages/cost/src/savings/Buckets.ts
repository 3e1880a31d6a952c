/**
 * The bucket boundaries of a histogram, and the lookup of a value's bucket.
 */

/**
 * The buckets of a histogram, at most 256.
 *
 * **Shape** `starts` ascends from 0. A bucket ends where the next starts; the last has no end. `coarse` is a
 * lookup table: at each index that {@link placeOf} returns, the bucket of the smallest value with that index.
 */
export interface Buckets {
  readonly starts: Float64Array
  readonly coarse: Uint8Array
}

/** Creates buckets from their starts. */
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
 * Creates buckets whose widths grow by the factor `ratio`.
 *
 * The first bucket is `firstSize` wide. The last bucket starts at `largest` or above.
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
 * Returns the bucket of a value: the first for negative values, the last for values beyond all starts.
 *
 * **Limits** one table lookup, then one step per bucket that starts in the same table entry. An entry spans 1/32 of a power of
 * two.
 */
export const bucketOf = ({ coarse, starts }: Buckets, value: number): number => {
  if (!(value > 0)) return 0
  let bucket = coarse[placeOf(value)] ?? 0
  while (bucket > 0 && (starts[bucket] ?? 0) > value) bucket--
  while ((starts[bucket + 1] ?? Number.POSITIVE_INFINITY) <= value) bucket++
  return bucket
}

/** Returns the end of a bucket, or the start of the last one, which has no end. */
export const endOf = ({ starts }: Buckets, bucket: number): number =>
  starts[Math.min(bucket + 1, starts.length - 1)] ?? 0

/**
 * Number of low bits of a value in single precision that its table index drops. The index keeps the exponent and the
 * first five mantissa bits.
 */
const PLACE_SHIFT = 18
const PLACES = 2 ** (31 - PLACE_SHIFT)
const single = new Float32Array(1)
const bits = new Int32Array(single.buffer)

const placeOf = (value: number): number => {
  single[0] = value
  return (bits[0] ?? 0) >>> PLACE_SHIFT
}
