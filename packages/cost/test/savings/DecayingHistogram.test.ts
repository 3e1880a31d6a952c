import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as DecayingHistogram from "../../src/savings/DecayingHistogram.ts"
import { bucketOf, endOf, fromStarts } from "../../src/savings/Buckets.ts"
import { CPU } from "../../src/savings/ContainerHistory.ts"
import { DAY_MS, HOUR_MS } from "../../src/hour/Units.ts"

/** Ten buckets, each one wide, and a half-life of an hour: those of the Vertical Pod Autoscaler's own tests. */
const linear: DecayingHistogram.Shape = {
  buckets: fromStarts(Float64Array.from({ length: 11 }, (_, start) => start)),
  halfLifeMs: HOUR_MS
}
const startMs = 1_234_567_890_000

const add = (histogram: DecayingHistogram.DecayingHistogram, value: number, weight: number, atMs: number): void =>
  DecayingHistogram.addToBucket(histogram, bucketOf(histogram.shape.buckets, value), weight, atMs)

const filled = (
  samples: ReadonlyArray<readonly [value: number, weight: number, hours: number]>,
  shape: DecayingHistogram.Shape = linear
): DecayingHistogram.DecayingHistogram => {
  const histogram = DecayingHistogram.make(shape)
  for (const [value, weight, hours] of samples) {
    add(histogram, value, weight, startMs + hours * HOUR_MS)
  }
  return histogram
}

const ends = (histogram: DecayingHistogram.DecayingHistogram, shares: ReadonlyArray<number>) =>
  shares.map((share) => DecayingHistogram.percentile(histogram, share))

/** Weights as parts of the whole, by bucket. */
const parts = (histogram: DecayingHistogram.DecayingHistogram): ReadonlyArray<number> => {
  const total = histogram.weights.reduce((sum, weight) => sum + weight, 0)
  return Array.from(
    histogram.shape.buckets.starts,
    (_, bucket) => (histogram.weights[bucket - histogram.first] ?? 0) / total
  )
}

const assertSame = (a: DecayingHistogram.DecayingHistogram, b: DecayingHistogram.DecayingHistogram): void => {
  assert.strictEqual(DecayingHistogram.isEmpty(a), DecayingHistogram.isEmpty(b))
  if (DecayingHistogram.isEmpty(a)) return
  for (const [bucket, part] of parts(a).entries()) assert.approximately(part, parts(b)[bucket] ?? Number.NaN, 1e-12)
}

const Sample = Schema.Struct({
  cores: Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1_200 })),
  weight: Schema.Literals([0.1, 0.25, 1, 3, 64]),
  hours: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 8 * 24 }))
})
type Sample = typeof Sample.Type
const Samples = Schema.Array(Sample).check(Schema.isMaxLength(60))
const Share = Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: 1 }))

const ofSamples = (samples: ReadonlyArray<Record<"cores" | "hours" | "weight", number>>) =>
  filled(
    samples.map(({ cores, hours, weight }) => [cores, weight, hours] as const),
    CPU
  )

/** All samples kept, each with its age: what the histogram stands for. */
const exactPercentile = (samples: ReadonlyArray<Sample>, share: number): number => {
  const weighed = samples
    .map(({ cores, hours, weight }) => ({
      bucket: bucketOf(CPU.buckets, cores),
      weight: weight * 2 ** ((hours * HOUR_MS) / DAY_MS)
    }))
    .toSorted((a, b) => a.bucket - b.bucket)
  const total = weighed.reduce((sum, { weight }) => sum + weight, 0)
  let partial = 0
  for (const { bucket, weight } of weighed) {
    partial += weight
    if (partial >= share * total) return endOf(CPU.buckets, bucket)
  }
  return endOf(CPU.buckets, weighed.at(-1)?.bucket ?? 0)
}

describe("a decaying histogram", () => {
  it("has no percentile but 0 when it is empty", () => {
    assert.deepStrictEqual(ends(DecayingHistogram.make(linear), [-0.5, 0, 0.5, 1, 1.5]), [0, 0, 0, 0, 0])
  })

  // kubernetes/autoscaler, pkg/recommender/util/histogram_test.go: TestPercentiles; decaying_histogram_test.go: TestNoDecay.
  it("gives the end of the bucket in which a share is reached", () => {
    const histogram = filled([1, 2, 3, 4].map((value) => [value, value, 0] as const))
    assert.deepStrictEqual(
      ends(histogram, [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]),
      [2, 2, 3, 3, 4, 4, 4, 5, 5, 5, 5]
    )
  })

  // TestPercentileOutOfBounds.
  it("gives the least bucket below 0, the greatest above 1, and the start of the last one", () => {
    const histogram = filled([
      [1, 0.1, 0],
      [2, 0.2, 0]
    ])
    assert.deepStrictEqual(ends(histogram, [-0.1, 1.1]), [2, 3])
    add(histogram, 0, 0.1, startMs)
    add(histogram, 10, 0.2, startMs)
    assert.deepStrictEqual(ends(histogram, [-0.1, 1.1]), [1, 10])
  })

  // decaying_histogram_test.go: TestSimpleDecay.
  it("lets a great weight decay, but not vanish", () => {
    const histogram = filled([
      [2, 1_000, 0],
      [1, 1, 20]
    ])
    assert.deepStrictEqual(ends(histogram, [0.999, 1]), [2, 3])
  })

  // TestLongtermDecay.
  it("forgets what is more than a hundred half-lives old", () => {
    const histogram = filled([
      [2, 1, 0],
      [1, 1, 101]
    ])
    assert.deepStrictEqual(ends(histogram, [1]), [2])
  })

  // TestDecayingHistogramPercentiles: weights 1/8, 2/4, 3/2 and 4.
  it("weighs a sample half for each half-life that passed", () => {
    const histogram = filled([1, 2, 3, 4].map((value) => [value, value, value] as const))
    assert.deepStrictEqual(ends(histogram, [0, 0.02, 0.03, 0.1, 0.11, 0.34, 0.35, 1]), [2, 2, 3, 3, 4, 4, 5, 5])
  })

  // TestDecayingHistogramMerge.
  it("merges into what the samples of both would have made", () => {
    const merged = filled([
      [1, 1, 0],
      [2, 1, 1]
    ])
    const other = filled([
      [2, 1, 2],
      [3, 1, 1]
    ])
    DecayingHistogram.merge(merged, other)
    assert.deepStrictEqual(ends(merged, [0, 1]), [2, 4])
    assertSame(
      merged,
      filled([
        [2, 1, 2],
        [2, 1, 1],
        [3, 1, 1],
        [1, 1, 0]
      ])
    )
  })

  // histogram_test.go: TestEmptyHistogram.
  it("is empty again when what was added is taken back", () => {
    const histogram = filled([[1, 2.5, 0]])
    DecayingHistogram.subtractFromBucket(histogram, 1, 1, startMs)
    assert.isFalse(DecayingHistogram.isEmpty(histogram))
    DecayingHistogram.subtractFromBucket(histogram, 1, 1.5, startMs)
    assert.isTrue(DecayingHistogram.isEmpty(histogram))
    DecayingHistogram.subtractFromBucket(histogram, 1, 1.5, startMs)
    assert.isTrue(DecayingHistogram.isEmpty(histogram))
  })

  it("starts anew with what comes after it was empty", () => {
    const histogram = filled([[9, 1, 0]])
    DecayingHistogram.subtractFromBucket(histogram, 9, 1, startMs)
    add(histogram, 3, 1, startMs + 5 * HOUR_MS)
    assert.deepStrictEqual(ends(histogram, [0, 1]), [4, 4])
  })

  it("keeps its shape through months, whether its reference moves daily or by itself", () => {
    const moved = DecayingHistogram.make(CPU)
    const left = DecayingHistogram.make(CPU)
    const samples = (day: number) => [0.02, 0.3, 0.3, 1.7].map((cores, at) => cores * (1 + ((day + at) % 3)))
    for (let day = 0; day < 400; day++) {
      DecayingHistogram.moveReference(moved, startMs + day * DAY_MS)
      for (const cores of samples(day)) {
        add(moved, cores, 0.5, startMs + day * DAY_MS)
        add(left, cores, 0.5, startMs + day * DAY_MS)
      }
    }
    assert.isAtMost(moved.weights.length, left.weights.length)
    assert(moved.weights.every((weight) => Number.isFinite(weight) && weight >= 0))
    assert(left.weights.every((weight) => Number.isFinite(weight) && weight >= 0))
    for (const [bucket, part] of parts(moved).entries()) {
      assert.approximately(part, parts(left)[bucket] ?? Number.NaN, 1e-3)
    }
    const recent = Array.from({ length: 20 }, (_, back) => 399 - back).flatMap((day) =>
      samples(day).map((cores): Sample => ({ cores, weight: 1, hours: (day - 380) * 24 }))
    )
    for (const share of [0.1, 0.5, 0.9, 0.95]) {
      assert.strictEqual(DecayingHistogram.percentile(moved, share), exactPercentile(recent, share))
    }
  })

  it.prop("agrees with all samples kept", [Samples, Share], ([samples, share]) => {
    const histogram = ofSamples(samples)
    if (samples.length === 0) return
    // A share that is reached exactly is reached by one of two sums that differ in their last digit.
    assert.isAtLeast(DecayingHistogram.percentile(histogram, share), exactPercentile(samples, share - 1e-12))
    assert.isAtMost(DecayingHistogram.percentile(histogram, share), exactPercentile(samples, share + 1e-12))
  })

  it.prop("rises with the share", [Samples, Share, Share], ([samples, one, another]) => {
    const histogram = ofSamples(samples)
    assert.isAtMost(
      DecayingHistogram.percentile(histogram, Math.min(one, another)),
      DecayingHistogram.percentile(histogram, Math.max(one, another))
    )
  })

  it.prop("is the same whatever the order of additions", [Samples], ([samples]) => {
    assertSame(ofSamples(samples), ofSamples(samples.toReversed()))
    assertSame(ofSamples(samples), ofSamples(samples.toSorted((a, b) => a.cores - b.cores)))
  })

  it.prop("is the same if all weights are multiplied, or all instants moved", [Samples], ([samples]) => {
    const heavier = samples.map((sample) => ({ ...sample, weight: sample.weight * 7 }))
    const later = samples.map((sample) => ({ ...sample, hours: sample.hours + 24 * 500 + 5 }))
    assertSame(ofSamples(samples), ofSamples(heavier))
    assertSame(ofSamples(samples), ofSamples(later))
  })

  it.prop("merges to the sum, and leaves the other as it was", [Samples, Samples], ([ours, theirs]) => {
    const merged = ofSamples(ours)
    const other = ofSamples(theirs)
    const before = structuredClone(other.weights)
    DecayingHistogram.merge(merged, other)
    assert.deepStrictEqual(other.weights, before)
    const together = [...parts(ofSamples([...ours, ...theirs]))]
    for (const [bucket, part] of parts(merged).entries()) {
      // Merging moves the older reference up, and forgets what weighs nothing there.
      if (ours.length + theirs.length > 0) assert.approximately(part, together[bucket] ?? 0, 1e-3)
    }
  })

  it.prop("gives up what is taken back", [Samples, Sample], ([samples, extra]) => {
    const histogram = ofSamples(samples)
    const { cores, hours, weight } = extra
    const atMs = startMs + hours * HOUR_MS
    add(histogram, cores, weight, atMs)
    DecayingHistogram.subtractFromBucket(histogram, bucketOf(CPU.buckets, cores), weight, atMs)
    const kept = ofSamples(samples)
    for (const [bucket, part] of parts(histogram).entries()) {
      if (samples.length > 0) assert.approximately(part, parts(kept)[bucket] ?? 0, 2e-3)
    }
  })
})
