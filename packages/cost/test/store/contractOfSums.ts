/** What holds for any hours in any store of costs. */
import { assert, layer } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Arbitrary, Effect, Schema } from "effect"
import { CostStore } from "../../src/store/CostStore.ts"
import type { Hour } from "../../src/hour/Hour.ts"
import { type Measure, measures } from "../../src/hour/Measure.ts"
import type { Series } from "../../src/hour/Series.ts"
import { DAY_MS, HOUR_MS } from "../../src/hour/Units.ts"
import { closeAll, type Stores, sumsOf } from "./checks.ts"
import { addedUp, amountsOf, at, days, hour, lastOfEach, someSeries } from "./samples.ts"

const named = someSeries()

const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** A few measures of a few series; one that has none of them is named all the same. */
const AnyHour = Schema.Struct({
  index: between(0, 5 * 24 - 1),
  knownSeconds: between(0, 3_600),
  amounts: Schema.Array(
    Schema.Struct({
      one: between(0, named.length - 1),
      measure: between(0, measures.length - 1),
      amount: Schema.Union([between(-4_000, 4_000), between(-5_000_000_000_000, 5_000_000_000_000)])
    })
  ).check(Schema.isMaxLength(24))
})

const turnOfMonth = at("2026-02-26T00:00")

const toHour = ({ amounts, index, knownSeconds }: typeof AnyHour.Type): Hour => {
  const found = new Map<Series, Partial<Record<Measure, number>>>()
  for (const { amount, measure, one } of amounts) {
    const [chosen, column] = [named[one], measures[measure]]
    assert(chosen !== undefined && column !== undefined)
    found.set(chosen, { ...found.get(chosen), [column]: amount })
  }
  return hour(turnOfMonth + index * HOUR_MS, [...found], { knownSeconds })
}

/** Hours of the days around the turn of a month, in any order, with gaps, some of them twice. */
const anyHistory = Arbitrary.map(Arbitrary.schema(Schema.Array(AnyHour).check(Schema.isMaxLength(40))), (drawn) =>
  drawn.map(toHour)
)
const anyEdges = Arbitrary.map(
  Arbitrary.schema(Schema.Array(between(-5, 6 * 24)).check(Schema.isMaxLength(6))),
  (indexes) =>
    [...new Set([-6, ...indexes, 6 * 24 + 1])].toSorted((a, b) => a - b).map((index) => turnOfMonth + index * HOUR_MS)
)

/** Sums of drawn hours. */
export const sumsAnyHours = (stores: Stores, runs: number): void => {
  layer(stores)((it) => {
    const options = { arbitrary: { runs } }
    let drawn = 0
    /** One store serves all draws: each has clusters of its own. */
    const fresh = () => ClusterName.make(`drawn-${drawn++}`)
    const of = (cluster: ClusterName, hours: ReadonlyArray<Hour>) => hours.map((one) => ({ ...one, cluster }))

    it.effect.prop(
      "sums any hours like a plain sum of them",
      [anyHistory, anyEdges],
      ([history, edges]) =>
        Effect.gen(function* () {
          const store = yield* CostStore
          const cluster = fresh()
          for (const one of of(cluster, history)) yield* store.rewrite([one])
          const hours = lastOfEach(of(cluster, history))
          for (const [index, startMs] of edges.entries()) {
            for (const endMs of edges.slice(index + 1)) {
              assert.deepStrictEqual(yield* sumsOf(store, startMs, endMs, cluster), addedUp(hours, startMs, endMs))
            }
          }
          const [startMs = 0, endMs = 0] = [edges[0], edges.at(-1)]
          assert.deepStrictEqual(yield* store.hours(cluster, { startMs, endMs }), hours)
        }),
      options
    )

    it.effect.prop(
      "sums the same whatever the order in which hours are closed",
      [anyHistory],
      ([history]) =>
        Effect.gen(function* () {
          const store = yield* CostStore
          const [forward, backward] = [fresh(), fresh()]
          const hours = [...new Map(history.map((one) => [one.startMs, one])).values()]
          yield* closeAll(store, of(forward, hours))
          yield* closeAll(store, of(backward, hours.toReversed()))
          const window = [turnOfMonth - DAY_MS, turnOfMonth + days(9)] as const
          assert.deepStrictEqual(yield* sumsOf(store, ...window, forward), yield* sumsOf(store, ...window, backward))
          assert.deepStrictEqual(yield* sumsOf(store, ...window, forward), addedUp(hours, ...window))
        }),
      options
    )

    it.effect.prop(
      "adds windows up: [a,b) and [b,c) are [a,c), and steps are their windows",
      [anyHistory, anyEdges],
      ([history, edges]) =>
        Effect.gen(function* () {
          const store = yield* CostStore
          const cluster = fresh()
          yield* store.rewrite(lastOfEach(of(cluster, history)))
          const steps = yield* store.sumsByStep([cluster], edges)
          assert.strictEqual(steps.length, edges.length - 1)
          const parts: Array<Hour> = []
          for (const [index, [step]] of steps.entries()) {
            const startMs = edges[index] ?? 0
            assert(step !== undefined)
            const alone = yield* sumsOf(store, startMs, edges[index + 1] ?? 0, cluster)
            assert.deepStrictEqual({ knownSeconds: step.knownSeconds, amounts: amountsOf(step) }, alone)
            parts.push({ ...step, startMs, rates: [], rateOf: new Int32Array(0), shares: [] })
          }
          const [startMs = 0, endMs = 0] = [edges[0], edges.at(-1)]
          assert.deepStrictEqual(addedUp(parts, startMs, endMs), yield* sumsOf(store, startMs, endMs, cluster))
        }),
      options
    )
  })
}
