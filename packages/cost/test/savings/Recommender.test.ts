import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import type { HourUsage } from "../../src/savings/HourUsage.ts"
import { none, RecommendationPolicy } from "../../src/savings/Recommendation.ts"
import { hours, recommendedFrom } from "./recommending.ts"
import { exact, hourOf, MIB, steadyCpuMillis, steadyMemoryBytes, used } from "./usage.ts"

const upTo = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 0, maximum }))

const AnyRow = Schema.Struct({
  hour: upTo(8 * 24 - 1),
  replica: upTo(4),
  millis: Schema.Array(upTo(9_000)).check(Schema.isMinLength(1), Schema.isMaxLength(4)),
  requestMillis: Schema.Literals([0, 50, 250, 4_000]),
  mebibytes: upTo(20_000),
  coveredSeconds: Schema.Literals([60, 600, 3_600])
})
const AnyRows = Schema.Array(AnyRow).check(Schema.isMinLength(1), Schema.isMaxLength(60))

/** One row a replica and hour. */
const hoursOf = (rows: typeof AnyRows.Type): ReadonlyArray<HourUsage> => {
  const distinct = [...new Map(rows.map((row) => [`${row.hour} ${row.replica}`, row])).values()]
  const byHour = Map.groupBy(distinct, ({ hour }) => hour)
  return [...byHour.entries()]
    .toSorted(([a], [b]) => a - b)
    .map(([hour, some]) =>
      hourOf(
        hour,
        some.map(({ coveredSeconds, mebibytes, millis, replica, requestMillis }) =>
          used("api", {
            coveredSeconds,
            cpuMillis: millis,
            cpuRequestMillis: requestMillis,
            replica: `pod-${replica}`,
            memoryPeakBytes: mebibytes * MIB
          })
        )
      )
    )
}

describe("the recommender", () => {
  it.effect("recommends what a steady replica uses, with 15 % on the bucket's end", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* recommendedFrom(hours(24, () => [used("api")])), {
        cpuRecommendedMillis: steadyCpuMillis(500),
        memoryRecommendedBytes: steadyMemoryBytes(512 * MIB),
        recommendationDays: 1
      })
      assert.approximately(steadyCpuMillis(500), 500 * 1.15, 500 * 1.15 * 0.07)
    })
  )

  it.effect("recommends nothing where no usage is known", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* recommendedFrom(hours(5, () => [])), none)
      assert.deepStrictEqual(
        yield* recommendedFrom(
          hours(5, () => [used("api")]),
          "other"
        ),
        none
      )
    })
  )

  it.effect.prop("agrees with all usage kept and looked through anew", [AnyRows], ([rows]) =>
    Effect.gen(function* () {
      const given = hoursOf(rows)
      const { cpuRecommendedMillis, memoryRecommendedBytes } = yield* recommendedFrom(given)
      const expected = exact(given, "main")
      const withMargin = (amount: number | undefined, least: number) => Math.max((amount ?? 0) * 1.15, least)
      assert.isAtLeast(cpuRecommendedMillis, withMargin(expected.cpuMillis[0], 25) - 1e-6)
      assert.isAtMost(cpuRecommendedMillis, withMargin(expected.cpuMillis[1], 25) + 1)
      assert.isAtLeast(memoryRecommendedBytes, withMargin(expected.memoryBytes[0], 250 * MIB) - 1e-3)
      assert.isAtMost(memoryRecommendedBytes, withMargin(expected.memoryBytes[1], 250 * MIB) + 1)
    })
  )

  it.effect.prop("is the same whatever the order of rows in an hour", [AnyRows], ([rows]) =>
    Effect.gen(function* () {
      const given = hoursOf(rows)
      const turned = given.map((hour) => ({ ...hour, containers: hour.containers.toReversed() }))
      assert.deepStrictEqual(yield* recommendedFrom(turned), yield* recommendedFrom(given))
    })
  )

  it.effect("follows the peaks of the day, not its mean", () =>
    Effect.gen(function* () {
      const given = hours(8 * 24, (hour) => [
        used("api", { memoryPeakBytes: (hour % 24 === 13 ? 3_000 : 400) * MIB, cpuMillis: [hour % 24 < 6 ? 900 : 100] })
      ])
      const { cpuRecommendedMillis, memoryRecommendedBytes } = yield* recommendedFrom(given)
      assert.strictEqual(memoryRecommendedBytes, steadyMemoryBytes(3_000 * MIB))
      assert.strictEqual(cpuRecommendedMillis, steadyCpuMillis(900))
    })
  )

  it.effect("weighs an hour of minutes as it weighs an hour in one", () =>
    Effect.gen(function* () {
      const coarse = hours(48, (hour) => [used("api", { cpuMillis: [hour % 4 === 0 ? 2_000 : 80] })])
      const fine = hours(48, (hour) => [
        used("api", { cpuMillis: Array.from({ length: 60 }, () => (hour % 4 === 0 ? 2_000 : 80)) })
      ])
      assert.deepStrictEqual(yield* recommendedFrom(fine), yield* recommendedFrom(coarse))
    })
  )

  it.effect("lets a raised request outweigh what was used before", () =>
    Effect.gen(function* () {
      const given = hours(30, (hour) => [
        used(
          "api",
          hour < 24 ? { cpuMillis: [100], cpuRequestMillis: 100 } : { cpuMillis: [3_000], cpuRequestMillis: 4_000 }
        )
      ])
      assert.strictEqual((yield* recommendedFrom(given)).cpuRecommendedMillis, steadyCpuMillis(3_000))
    })
  )

  it.effect("adds up the containers of a replica, and splits the least between them", () =>
    Effect.gen(function* () {
      const both = yield* recommendedFrom(
        hours(24, () => [
          used("api", { cpuMillis: [900], memoryPeakBytes: 2_000 * MIB }),
          used("api", { container: "proxy", cpuMillis: [1], memoryPeakBytes: 5 * MIB })
        ])
      )
      assert.strictEqual(both.cpuRecommendedMillis, steadyCpuMillis(900) + 13)
      assert.strictEqual(both.memoryRecommendedBytes, steadyMemoryBytes(2_000 * MIB) + 125 * MIB)
      const idle = yield* recommendedFrom(hours(3, () => [used("api", { cpuMillis: [0], memoryPeakBytes: 0 })]))
      assert.strictEqual(idle.cpuRecommendedMillis, 25)
      assert.strictEqual(idle.memoryRecommendedBytes, 250 * MIB)
    })
  )

  it.effect("leaves out a container that the replicas no longer have", () =>
    Effect.gen(function* () {
      const given = hours(24, (hour) => [
        used("api"),
        ...(hour < 20 ? [used("api", { container: "proxy", cpuMillis: [5_000] })] : [])
      ])
      assert.strictEqual((yield* recommendedFrom(given)).cpuRecommendedMillis, steadyCpuMillis(500))
    })
  )

  it.effect("gives a killed container a fifth more than it had, and 100 MiB at least", () =>
    Effect.gen(function* () {
      const killed = (memoryRequestBytes: number, memoryPeakBytes: number) =>
        Effect.map(
          recommendedFrom([hourOf(0, [used("api", { memoryRequestBytes, memoryPeakBytes, isOomKilled: true })])]),
          ({ memoryRecommendedBytes }) => memoryRecommendedBytes
        )
      // kubernetes/autoscaler, pkg/recommender/model/container_test.go: TestRecordOOM*.
      assert.strictEqual(yield* killed(1_000 * MIB, 0), steadyMemoryBytes(1_200 * MIB))
      assert.strictEqual(yield* killed(1_000 * MIB, 3_000 * MIB), steadyMemoryBytes(3_600 * MIB))
      assert.strictEqual(yield* killed(200 * MIB, 0), steadyMemoryBytes(300 * MIB))
    })
  )

  const unseen = { isOomKilled: true, coveredSeconds: 0, cpuMillis: [], memoryPeakBytes: 0 }

  it.effect("learns from a kill in an hour of which nothing else is known", () =>
    Effect.gen(function* () {
      const given = hours(24, (hour) => [used("api", hour === 23 ? unseen : {})])
      const { cpuRecommendedMillis, memoryRecommendedBytes } = yield* recommendedFrom(given)
      assert.strictEqual(memoryRecommendedBytes, steadyMemoryBytes(1.2 * 1_024 * MIB))
      assert.strictEqual(cpuRecommendedMillis, steadyCpuMillis(500))
    })
  )

  it.effect("recommends nothing from kills alone, and remembers them for when usage is known", () =>
    Effect.gen(function* () {
      const kills = hours(3, () => [used("api", unseen)])
      assert.deepStrictEqual(yield* recommendedFrom(kills), none)
      const { cpuRecommendedMillis, memoryRecommendedBytes } = yield* recommendedFrom([
        ...kills,
        ...hours(1, () => [used("api")], 3)
      ])
      assert.strictEqual(memoryRecommendedBytes, steadyMemoryBytes(1.2 * 1_024 * MIB))
      assert.strictEqual(cpuRecommendedMillis, steadyCpuMillis(500))
    })
  )

  it.effect("leaves a container out of which kills alone are known, and recommends the others", () =>
    Effect.gen(function* () {
      const given = hours(4, () => [used("api"), used("api", { container: "proxy", ...unseen })])
      assert.strictEqual((yield* recommendedFrom(given)).cpuRecommendedMillis, steadyCpuMillis(500))
    })
  )

  it.effect("does not run away when a container is killed again and again", () =>
    Effect.gen(function* () {
      const given = hours(24, () => [used("api", { memoryRequestBytes: 1_000 * MIB, isOomKilled: true })])
      assert.strictEqual((yield* recommendedFrom(given)).memoryRecommendedBytes, steadyMemoryBytes(1_200 * MIB))
    })
  )

  it.effect("samples the replicas fairly where there are very many", () =>
    Effect.gen(function* () {
      const many = (hour: number) =>
        Array.from({ length: 1_000 }, (_, at) =>
          used("api", { replica: `pod-${at}`, memoryPeakBytes: (1 + ((at + hour) % 1_000)) * MIB })
        )
      // Every replica reaches 24 MiB more than it starts with, so that nine tenths end by 924 MiB.
      const { memoryRecommendedBytes } = yield* recommendedFrom(hours(24, many))
      assert.approximately(memoryRecommendedBytes / 1.15 / MIB, 924, 924 * 0.1)
    })
  )

  it.effect("tells in how many of the last eight days usage was known", () =>
    Effect.gen(function* () {
      const days = (given: ReadonlyArray<HourUsage>) =>
        Effect.map(recommendedFrom(given), ({ recommendationDays }) => recommendationDays)
      assert.strictEqual(yield* days(hours(6, () => [used("api")])), 0.25)
      assert.strictEqual(yield* days(hours(48, (hour) => (hour % 2 === 0 ? [used("api")] : []))), 1)
      assert.strictEqual(yield* days(hours(30 * 24, () => [used("api")])), 8)
      assert.strictEqual(yield* days([hourOf(0, [used("api")]), hourOf(191, [used("api")])]), 2 / 24)
      assert.strictEqual(yield* days([hourOf(0, [used("api")]), hourOf(192, [used("api")])]), 1 / 24)
    })
  )

  it.effect("recommends the same after half a year as after two weeks of the same days", () =>
    Effect.gen(function* () {
      const wave = (hour: number) => [
        used("api", {
          cpuMillis: [300 + 250 * Math.sin((hour / 12) * Math.PI)],
          memoryPeakBytes: (900 + 300 * Math.cos((hour / 12) * Math.PI)) * MIB
        })
      ]
      const early = yield* recommendedFrom(hours(14 * 24, wave))
      assert.deepStrictEqual(yield* recommendedFrom(hours(182 * 24, wave)), early)
    })
  )

  it.effect("draws what the policy says", () =>
    Effect.gen(function* () {
      const given = hours(10, (hour) => [used("api", { cpuMillis: [hour < 5 ? 100 : 1_000], cpuRequestMillis: 0 })])
      const policy = {
        cpuPercentile: 0.1,
        memoryPercentile: 0.5,
        marginShare: 0,
        minCpuMillis: 0,
        minMemoryBytes: 9_000 * MIB
      }
      const drawn = yield* Effect.provideService(recommendedFrom(given), RecommendationPolicy, policy)
      assert.strictEqual(drawn.cpuRecommendedMillis, Math.ceil(steadyCpuMillis(100) / 1.15))
      assert.strictEqual(drawn.memoryRecommendedBytes, 9_000 * MIB)
    })
  )
})
