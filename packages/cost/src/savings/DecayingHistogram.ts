/**
 * A distribution in buckets that forgets: a sample weighs half as much with every half-life that passes.
 *
 * **Source** Kubernetes Vertical Pod Autoscaler, `pkg/recommender/util/histogram.go` and `decaying_histogram.go`.
 */
import { type Buckets, endOf } from "./Buckets.ts"

/** What histograms must share to be merged. */
export interface Shape {
  readonly buckets: Buckets
  readonly halfLifeMs: number
}

/**
 * One distribution, changed in place.
 *
 * **Shape** `weights` has those buckets, from `first` on, that hold anything; the weights are those at `referenceMs`, a
 * multiple of the half-life. Only their ratios matter, so the reference may move and all weights with it.
 *
 * **Limits** as many numbers as there are buckets, at most.
 */
export interface DecayingHistogram {
  readonly shape: Shape
  referenceMs: number
  first: number
  weights: Array<number>
}

/** A bucket that weighs less than this is empty: a thousandth of the least sample's weight. */
export const EPSILON = 0.0001

/** Half-lives after which the reference moves up, long before weights leave the range of numbers. */
const MAX_EXPONENT = 100

/** Makes an empty histogram. */
export const make = (shape: Shape): DecayingHistogram => ({ shape, referenceMs: 0, first: 0, weights: [] })

/** Tells whether nothing is in it, or nothing any more. */
export const isEmpty = (histogram: DecayingHistogram): boolean => histogram.weights.length === 0

/** Adds a sample to its bucket. The order of additions changes nothing; `weight` is 0 or more. */
export const addToBucket = (histogram: DecayingHistogram, bucket: number, weight: number, atMs: number): void => {
  addWeight(histogram, bucket, weight * factorAt(histogram, atMs))
}

/**
 * Gives what a sample's weight is multiplied with.
 *
 * For {@link addWeight}, where many samples have one instant; it holds until the histogram is touched with
 * another.
 */
export const factorAt = (histogram: DecayingHistogram, atMs: number): number => {
  const { halfLifeMs } = histogram.shape
  if (isEmpty(histogram)) histogram.referenceMs = alignedTo(atMs, halfLifeMs)
  else if (atMs - histogram.referenceMs > MAX_EXPONENT * halfLifeMs) moveReference(histogram, atMs)
  return power(atMs - histogram.referenceMs, halfLifeMs)
}

/** Adds a weight that is a reference's already. */
export const addWeight = (histogram: DecayingHistogram, bucket: number, weight: number): void => {
  if (weight === 0) return
  if (isEmpty(histogram)) histogram.first = bucket
  const place = bucket - histogram.first
  if (place < 0 || place >= histogram.weights.length) extendTo(histogram, bucket)
  const { first, weights } = histogram
  weights[bucket - first] = (weights[bucket - first] ?? 0) + weight
}

/** There are very many histograms that seldom grow: each array is as long as it must be. */
const extendTo = (histogram: DecayingHistogram, bucket: number): void => {
  const { first, weights } = histogram
  const from = Math.min(first, bucket)
  const to = Math.max(first + weights.length, bucket + 1)
  histogram.weights = Array.from({ length: to - from }, (_, place) => weights[place + from - first] ?? 0)
  histogram.first = from
}

/** Takes back a sample that was added with the same bucket, weight and instant. */
export const subtractFromBucket = (
  histogram: DecayingHistogram,
  bucket: number,
  weight: number,
  atMs: number
): void => {
  const place = bucket - histogram.first
  const held = histogram.weights[place]
  if (held === undefined) return
  const left = held - weight * factorAt(histogram, atMs)
  // What is left of a sum that held nothing else is an error of rounding, not a sample.
  histogram.weights[place] = left < EPSILON ? 0 : left
  trim(histogram)
}

/**
 * Moves the reference near an instant.
 *
 * Percentiles stay what they were, except that a bucket that weighs less than {@link EPSILON} then is forgotten.
 * Factors are powers of two: nothing is rounded, however often it is done.
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

/**
 * Adds all that another histogram holds.
 *
 * As if the samples of both had been added to one; the other stays as it is. Both have one shape.
 */
export const merge = (into: DecayingHistogram, other: DecayingHistogram): void => {
  if (isEmpty(other)) return
  if (isEmpty(into)) into.referenceMs = other.referenceMs
  else if (into.referenceMs < other.referenceMs) moveReference(into, other.referenceMs)
  const factor = power(other.referenceMs - into.referenceMs, into.shape.halfLifeMs)
  for (const [place, weight] of other.weights.entries()) addWeight(into, other.first + place, weight * factor)
}

/**
 * Gives the value that a share of the weight does not exceed.
 *
 * The end of the bucket where the share is reached, the start of the last one for that; 0 for an empty
 * histogram. `share` is 0.9 for the 90th percentile; below 0 it is the least bucket, above 1 the greatest.
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

/** Two to the number of half-lives; whole ones are told apart, so that a moved reference changes no digit. */
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
