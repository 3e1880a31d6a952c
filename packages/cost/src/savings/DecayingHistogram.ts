/**
 * A histogram whose samples lose half their weight with every half-life.
 *
 * **Source** Kubernetes Vertical Pod Autoscaler, `pkg/recommender/util/histogram.go` and `decaying_histogram.go`.
 */
import { type Buckets, endOf } from "./Buckets.ts"

/** Parameters of a histogram. Only histograms of equal shape can be merged. */
export interface Shape {
  readonly buckets: Buckets
  readonly halfLifeMs: number
}

/**
 * A mutable histogram.
 *
 * **Shape** `weights` holds the non-empty range of buckets, starting at bucket `first`. Weights are those at `referenceMs`, a
 * multiple of the half-life. Only their ratios matter, so the reference may move together with all weights.
 *
 * **Limits** at most one number per bucket.
 */
export interface DecayingHistogram {
  readonly shape: Shape
  referenceMs: number
  first: number
  weights: Array<number>
}

/** Below this weight a bucket counts as empty: a thousandth of the smallest sample weight. */
const EPSILON = 0.0001

/**
 * Maximum number of half-lives from the reference time to a sample. Beyond it the reference time moves, so that weights
 * do not overflow.
 */
const MAX_EXPONENT = 100

export const make = (shape: Shape): DecayingHistogram => ({ shape, referenceMs: 0, first: 0, weights: [] })

/** Returns true if no bucket has weight, either because no sample was added or all have decayed. */
export const isEmpty = (histogram: DecayingHistogram): boolean => histogram.weights.length === 0

/** Adds a sample of weight 0 or more to a bucket. The order of additions does not matter. */
export const addToBucket = (histogram: DecayingHistogram, bucket: number, weight: number, atMs: number): void => {
  addWeight(histogram, bucket, weight * factorAt(histogram, atMs))
}

/**
 * Returns the factor that scales a sample's weight to the reference time, for {@link addWeight}.
 *
 * One factor serves many samples of the same instant. It is valid until a sample of another instant is added or removed.
 */
export const factorAt = (histogram: DecayingHistogram, atMs: number): number => {
  const { halfLifeMs } = histogram.shape
  if (isEmpty(histogram)) histogram.referenceMs = alignedTo(atMs, halfLifeMs)
  else if (atMs - histogram.referenceMs > MAX_EXPONENT * halfLifeMs) moveReference(histogram, atMs)
  return power(atMs - histogram.referenceMs, halfLifeMs)
}

/** Adds a sample's weight, already multiplied by {@link factorAt}, to a bucket. */
export const addWeight = (histogram: DecayingHistogram, bucket: number, weight: number): void => {
  if (weight === 0) return
  if (isEmpty(histogram)) histogram.first = bucket
  const place = bucket - histogram.first
  if (place < 0 || place >= histogram.weights.length) extendTo(histogram, bucket)
  const { first, weights } = histogram
  weights[bucket - first] = (weights[bucket - first] ?? 0) + weight
}

/**
 * Extends the weights to a bucket. Allocates exactly the needed length: there are many histograms, and they rarely
 * grow.
 */
const extendTo = (histogram: DecayingHistogram, bucket: number): void => {
  const { first, weights } = histogram
  const from = Math.min(first, bucket)
  const to = Math.max(first + weights.length, bucket + 1)
  histogram.weights = Array.from({ length: to - from }, (_, place) => weights[place + from - first] ?? 0)
  histogram.first = from
}

/** Removes a sample that was added with the same bucket, weight and instant. */
export const subtractFromBucket = (
  histogram: DecayingHistogram,
  bucket: number,
  weight: number,
  atMs: number
): void => {
  const place = bucket - histogram.first
  const current = histogram.weights[place]
  if (current === undefined) return
  const left = current - weight * factorAt(histogram, atMs)
  // A tiny remainder is a rounding error, not a sample.
  histogram.weights[place] = left < EPSILON ? 0 : left
  trim(histogram)
}

/**
 * Moves the reference time to the multiple of the half-life that is nearest to an instant.
 *
 * Percentiles do not change, except that buckets below {@link EPSILON} are emptied. Factors are powers of two, so repeated
 * moves do not round.
 */
export const moveReference = (histogram: DecayingHistogram, toMs: number): void => {
  const { halfLifeMs } = histogram.shape
  const referenceMs = alignedTo(toMs, halfLifeMs)
  const factor = power(histogram.referenceMs - referenceMs, halfLifeMs)
  histogram.referenceMs = referenceMs
  if (factor === 1) return
  histogram.weights = histogram.weights.map((weight) => (weight * factor < EPSILON ? 0 : weight * factor))
  trim(histogram)
}

/** Adds all samples of another histogram of the same shape. The other histogram does not change. */
export const merge = (into: DecayingHistogram, other: DecayingHistogram): void => {
  if (isEmpty(other)) return
  if (isEmpty(into)) into.referenceMs = other.referenceMs
  else if (into.referenceMs < other.referenceMs) moveReference(into, other.referenceMs)
  const factor = power(other.referenceMs - into.referenceMs, into.shape.halfLifeMs)
  for (const [place, weight] of other.weights.entries()) addWeight(into, other.first + place, weight * factor)
}

/**
 * Returns the percentile at `share`, such as 0.9 for the 90th.
 *
 * The result is the end of the bucket in which the share is reached. The last bucket has no end, so its start is
 * returned. The percentile of an empty histogram is 0.
 */
export const percentile = ({ first, shape, weights }: DecayingHistogram, share: number): number => {
  if (weights.length === 0) return 0
  const threshold = share * sumOf(weights)
  let partial = 0
  let place = 0
  for (; place < weights.length - 1; place++) {
    partial += weights[place] ?? 0
    if (partial >= threshold) break
  }
  return endOf(shape.buckets, first + place)
}

const sumOf = (weights: ReadonlyArray<number>): number => {
  let sum = 0
  for (const weight of weights) sum += weight
  return sum
}

const alignedTo = (ms: number, halfLifeMs: number): number => Math.round(ms / halfLifeMs) * halfLifeMs

/** Returns 2 to the number of half-lives. Whole numbers are computed exactly, so moving the reference loses no digit. */
const power = (ms: number, halfLifeMs: number): number => {
  const whole = Math.floor(ms / halfLifeMs)
  const rest = ms - whole * halfLifeMs
  return rest === 0 ? 2 ** whole : 2 ** whole * 2 ** (rest / halfLifeMs)
}

const trim = (histogram: DecayingHistogram): void => {
  const { weights } = histogram
  let from = 0
  while (from < weights.length && (weights[from] ?? 0) < EPSILON) from++
  let to = weights.length
  while (to > from && (weights[to - 1] ?? 0) < EPSILON) to--
  if (from === 0 && to === weights.length) return
  histogram.weights = weights.slice(from, to)
  histogram.first += from
}
