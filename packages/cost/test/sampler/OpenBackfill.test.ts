import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Metric, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { CostSampler } from "../../src/sampler/CostSampler.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import { UsageError, until as failedUntil } from "../../src/usage/UsageError.ts"
import type { Hourly } from "../../src/usage/UsageSource.ts"
import { HourJournal } from "../../src/sampler/HourJournal.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { factsOf, failure, hourly } from "./hours.ts"
import { at, DAY } from "./objects.ts"
import { a, begin, hoursOf, inMemory, onDisk, oneCluster, start, until } from "./sampling.ts"

const kept = Layer.unwrap(Effect.map(temporaryDirectory, onDisk))

/** A source's answer for an hour of the day: known, unknown, or a failure. */
type Word = "known" | "unknown" | UsageError

/** A source with data since three o'clock, and a given answer for each hour since. */
const saying = (word: (hour: number) => Word, asked: Array<number> = []): Hourly =>
  hourly(
    () => false,
    (_, { endMs, startMs }) =>
      Stream.suspend(() => {
        const firstMs = Math.max(startMs, at("03:00:00"))
        const hours = Array.from(
          { length: Math.max(0, (endMs - firstMs) / HOUR_MS) },
          (__, index) => firstMs + index * HOUR_MS
        )
        return Stream.fromIterable(hours).pipe(
          Stream.map((ms) => ({ ms, said: word(new Date(ms).getUTCHours()) })),
          Stream.tap(({ ms }) => Effect.sync(() => asked.push(new Date(ms).getUTCHours()))),
          Stream.filter(({ said }) => said !== "unknown"),
          Stream.map(({ ms, said }) => (said instanceof UsageError ? failedUntil(said, ms + HOUR_MS) : factsOf(ms)))
        )
      })
  )

const hours = Effect.map(hoursOf(a, "00:00:00", "10:00:00"), (found) =>
  found.map(({ startMs }) => new Date(startMs).getUTCHours())
)

const state = ({ sampler }: { readonly sampler: CostSampler["Service"] }) =>
  Effect.map(sampler.backfills, ([only]) => {
    assert.isDefined(only)
    return only
  })

const openHours = (part: string) =>
  Effect.map(Metric.snapshot, (metrics) =>
    metrics.flatMap((metric) =>
      metric.id === "quarterdeck_cost_backfill_open_hours"
      && metric.type === "Gauge"
      && metric.attributes?.["part"] === part
        ? [Number(metric.state.value)]
        : []
    )
  )

/** The program begins at ten. */
const begun = Effect.fnUntraced(function* (source: Hourly) {
  const { fleet } = yield* oneCluster
  yield* begin("10:00:00")
  const program = yield* start(fleet, source)
  yield* until("10:00:05")
  return { ...program, fleet }
})

const ALL = [3, 4, 5, 6, 7, 8, 9]

/** Collects what is said of the past. */
const collectLogs = () => {
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>(({ message }) => {
    if (/past|back-?fill|has no data/.test(String(message))) lines.push(String(message))
  })
  return { lines, layer: Logger.layer([logger]) }
}

describe("an hour of the past", () => {
  it.effect("is logged: unreadable hours, filled hours, and hours that the source does not know", () => {
    const { layer, lines } = collectLogs()
    return Effect.gen(function* () {
      let isDown = true
      yield* begun(saying(() => (isDown ? failure : "known")))
      assert.deepStrictEqual(lines, [`cost of cluster a: backfill: ${failure.source}: ${failure.problem}`])
      isDown = false
      yield* until("10:30:00")
      assert.deepStrictEqual(lines.slice(1), [
        `cost of cluster a: back-filled ${ALL.length} hours`,
        `cost of cluster a: the source has no data for ${400 * 24 - 1 - ALL.length} hours before ${DAY}T03:00:00.000Z`,
        "cost of cluster a: backfill: works again"
      ])
    }).pipe(Effect.provide(kept), Effect.scoped, Effect.provide(layer))
  })

  it.effect("of which the source knows no node stays open, is reported, and is filled once it does", () =>
    Effect.gen(function* () {
      let isScraped = false
      const program = yield* begun(saying(() => (isScraped ? "known" : "unknown")))
      const before = yield* state(program)
      assert.strictEqual(before.status, "waiting")
      assert.strictEqual(before.missingHours, 400 * 24 - 1)
      assert.match(
        before.problem ?? "",
        new RegExp(
          `^the source knows no node in any hour from \\S+Z to ${DAY}T10:00Z: check that kube-state-metrics is scraped`
        )
      )
      assert.deepStrictEqual(yield* openHours("missing"), [400 * 24 - 1])
      assert.deepStrictEqual(yield* hours, [])
      isScraped = true
      yield* until("10:20:00")
      assert.deepStrictEqual(yield* hours, ALL)
      const after = yield* state(program)
      assert.deepInclude(after, { status: "waiting", missingHours: 0 })
      assert.strictEqual(after.olderHours, 400 * 24 - 1 - ALL.length)
      assert.isUndefined(after.problem)
      assert.deepStrictEqual(yield* openHours("missing"), [0])
      assert.deepStrictEqual(yield* openHours("older"), [after.olderHours])
      // Other files have metrics of that name in this process.
    }).pipe(Effect.provide(kept), Effect.scoped, Effect.provideService(Metric.MetricRegistry, new Map()))
  )

  it.effect("between others is reported with its time, survives a restart, and is filled when it is known", () =>
    Effect.gen(function* () {
      let isScraped = false
      const source = saying((hour) => (isScraped || (hour !== 5 && hour !== 8) ? "known" : "unknown"))
      const first = yield* begun(source)
      assert.deepStrictEqual(yield* hours, [3, 4, 6, 7, 9])
      const told = yield* state(first)
      assert.deepInclude(told, { missingHours: 2, window: { startMs: at("05:00:00"), endMs: at("09:00:00") } })
      assert.match(told.problem ?? "", new RegExp(`knows no node in 2 of 4 hours from ${DAY}T05:00Z to ${DAY}T09:00Z`))
      yield* first.stop
      yield* until("10:10:00")
      const second = yield* start(first.fleet, source)
      yield* until("10:10:05")
      assert.strictEqual((yield* state(second)).missingHours, 2)
      isScraped = true
      yield* until("10:30:00")
      assert.deepStrictEqual(yield* hours, ALL)
      assert.strictEqual((yield* state(second)).missingHours, 0)
    }).pipe(Effect.provide(kept), Effect.scoped)
  )

  it.effect("that cannot be read does not keep later ones from coming, and comes itself when it can", () =>
    Effect.gen(function* () {
      let isWarned = true
      const program = yield* begun(saying((hour) => (isWarned && hour === 4 ? failure : "known")))
      assert.deepStrictEqual(yield* hours, [3, 5, 6, 7, 8, 9])
      assert.deepInclude(yield* state(program), { missingHours: 1, problem: failure.explanation })
      isWarned = false
      yield* until("10:02:00")
      assert.deepStrictEqual(yield* hours, ALL)
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect("that cannot be read, like those after it, keeps no later one from coming", () =>
    Effect.gen(function* () {
      const asked: Array<number> = []
      yield* begun(saying((hour) => (hour < 7 ? failure : "known"), asked))
      assert.deepStrictEqual(yield* hours, [])
      yield* until("10:01:00")
      assert.deepStrictEqual(yield* hours, [7, 8, 9])
      // The oldest ones have not been forgotten.
      assert.isAbove(asked.filter((hour) => hour === 3).length, 1)
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect("is not asked for before the time that the source itself named", () =>
    Effect.gen(function* () {
      const busy = new UsageError({
        cluster: a,
        source: "prometheus",
        problem: "answered 429",
        retryAfterMs: 2 * HOUR_MS
      })
      const asked: Array<number> = []
      let isBusy = true
      const program = yield* begun(saying((hour) => (isBusy && hour === 4 ? busy : "known"), asked))
      assert.deepStrictEqual(asked, [3, 4])
      const { nextMs } = yield* state(program)
      assert.isAtLeast(nextMs ?? 0, at("12:00:00"))
      isBusy = false
      yield* until("11:59:50")
      assert.deepStrictEqual(asked, [3, 4])
      yield* until("12:00:30")
      assert.deepStrictEqual(yield* hours, ALL)
    }).pipe(Effect.provide(inMemory), Effect.scoped)
  )

  it.effect(
    "ends the attempt when several in a row cannot be read, and the next one goes on behind them and comes back",
    () =>
      Effect.gen(function* () {
        const asked: Array<number> = []
        let isDown = true
        yield* begun(saying((hour) => (isDown && hour >= 5 ? failure : "known"), asked))
        assert.deepStrictEqual(asked, [3, 4, 5, 6, 7])
        isDown = false
        yield* until("10:01:00")
        assert.deepStrictEqual(asked, [3, 4, 5, 6, 7, 8, 9, 5, 6, 7])
        assert.deepStrictEqual(yield* hours, ALL)
      }).pipe(Effect.provide(inMemory), Effect.scoped)
  )
})

describe("a past that an earlier version took for done", () => {
  /** It noted that nothing is left, though the source told nothing. */
  const given = Effect.gen(function* () {
    const journal = yield* HourJournal
    yield* journal.noteBackfill(a, { untilMs: at("10:00:00"), left: [] })
    return yield* begun(saying(() => "known"))
  })

  it.effect("stays as it is until it is asked for anew, while the program runs", () =>
    Effect.gen(function* () {
      const program = yield* given
      yield* until("10:30:00")
      assert.deepStrictEqual(yield* hours, [])
      assert.deepInclude(yield* state(program), { status: "done", missingHours: 0, olderHours: 0 })
      const journal = yield* HourJournal
      yield* journal.askRestart(a, true)
      yield* until("10:31:00")
      assert.deepStrictEqual(yield* hours, ALL)
      assert.isFalse(yield* journal.isRestartAsked(a))
    }).pipe(Effect.provide(kept), Effect.scoped)
  )

  it.effect("is filled in at the next start, when it is asked for anew while no program runs", () =>
    Effect.gen(function* () {
      const first = yield* given
      yield* first.stop
      const journal = yield* HourJournal
      yield* journal.askRestart(a, true)
      yield* TestClock.setTime(at("10:40:00"))
      yield* start(
        first.fleet,
        saying(() => "known")
      )
      yield* until("10:40:05")
      assert.deepStrictEqual(yield* hours, ALL)
    }).pipe(Effect.provide(kept), Effect.scoped)
  )

  it.effect("has the hours that are there left alone", () =>
    Effect.gen(function* () {
      const asked: Array<number> = []
      const program = yield* begun(saying((hour) => (hour === 6 ? "unknown" : "known"), asked))
      const before = yield* hoursOf(a, "00:00:00", "10:00:00")
      assert.deepStrictEqual(asked, ALL)
      yield* (yield* HourJournal).askRestart(a, true)
      yield* until("10:01:00")
      assert.deepStrictEqual(asked.slice(ALL.length), [6])
      assert.deepStrictEqual(yield* hoursOf(a, "00:00:00", "10:00:00"), before)
      assert.strictEqual((yield* state(program)).missingHours, 400 * 24 - 1 - 6)
    }).pipe(Effect.provide(kept), Effect.scoped)
  )
})
