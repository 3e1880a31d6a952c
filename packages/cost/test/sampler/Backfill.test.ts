import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Stream } from "effect"
import { TestClock } from "effect/testing"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { HOUR_MS } from "../../src/hour/Units.ts"
import type { Hourly } from "../../src/usage/UsageSource.ts"
import { HourJournal } from "../../src/sampler/HourJournal.ts"
import type { JournalEntry } from "../../src/sampler/JournalEntry.ts"
import { layerFiles } from "../../src/sampler/JournalFiles.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { factsOf, failure, hourly } from "./hours.ts"
import { at } from "./objects.ts"
import { a, hoursOf, onDisk, oneWeb, start, until } from "./sampling.ts"

const kept = Layer.unwrap(Effect.map(temporaryDirectory, onDisk))

/** Knows the hours from nine on; `answers` says how many of them it tells before it fails, if it does. */
const knowing = (answers: () => number): Hourly =>
  hourly(
    () => answers() === 0,
    (_, { endMs, startMs }) =>
      Stream.suspend(() => {
        const firstMs = Math.max(startMs, at("09:00:00"))
        const hours = Array.from({ length: Math.max(0, (endMs - firstMs) / HOUR_MS) }, (__, index) =>
          factsOf(firstMs + index * HOUR_MS)
        )
        const told = Stream.fromIterable(hours.slice(0, answers()))
        return hours.length > answers() ? Stream.concat(told, Stream.fail(failure)) : told
      })
  )

const startsOf = (from: string, to: string) =>
  Effect.map(hoursOf(a, from, to), (hours) => hours.map(({ startMs }) => new Date(startMs).toISOString().slice(11, 13)))

/** The program runs for half an hour, and then not until a later time. */
const awayUntil = Effect.fnUntraced(function* (back: string, ...[fleet, source]: Parameters<typeof start>) {
  const { stop } = yield* start(fleet, source)
  yield* until("10:30:00")
  yield* stop
  yield* TestClock.setTime(at(back))
})

describe("hours in which the program did not run", () => {
  it.effect("come when the source is back, also after the next hour was closed", () =>
    Effect.gen(function* () {
      const fleet = yield* oneWeb
      let answers = Infinity
      const source = knowing(() => answers)
      yield* awayUntil("13:30:00", fleet, source)
      answers = 0
      yield* start(fleet, source)
      yield* until("14:05:00")
      assert.deepStrictEqual(yield* startsOf("10:00:00", "14:00:00"), ["10", "13"])
      answers = Infinity
      yield* until("14:20:00")
      assert.deepStrictEqual(yield* startsOf("10:00:00", "14:00:00"), ["10", "11", "12", "13"])
    }).pipe(Effect.provide(kept), Effect.scoped)
  )

  it.effect("come after another restart in the middle of filling them in", () =>
    Effect.gen(function* () {
      const fleet = yield* oneWeb
      let answers = Infinity
      const source = knowing(() => answers)
      yield* awayUntil("15:30:00", fleet, source)
      answers = 2
      const second = yield* start(fleet, source)
      yield* until("15:30:05")
      answers = 0
      yield* until("16:05:00")
      yield* second.stop
      assert.deepStrictEqual(yield* startsOf("10:00:00", "17:00:00"), ["10", "11", "15"])
      yield* TestClock.setTime(at("18:10:00"))
      answers = Infinity
      yield* start(fleet, source)
      yield* until("18:12:00")
      assert.deepStrictEqual(yield* startsOf("10:00:00", "18:00:00"), ["10", "11", "12", "13", "14", "15", "16", "17"])
    }).pipe(Effect.provide(kept), Effect.scoped)
  )

  it.effect("are known from the note of a program before this one, too", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const noted = yield* Effect.gen(function* () {
        const journal = yield* HourJournal
        const window = { startMs: at("07:00:00"), endMs: at("09:00:00") }
        const path = join(directory, "open-hours", "a@backfill.json")
        yield* Effect.promise(() => writeFile(path, JSON.stringify(window)))
        const old = yield* journal.backfill(a)
        assert.deepStrictEqual(old, Option.some({ untilMs: window.endMs, left: [window] }))
        yield* journal.noteBackfill(a, { untilMs: at("12:00:00"), left: [] })
        return yield* journal.backfill(a)
      }).pipe(Effect.provide(layerFiles({ directory })))
      assert.deepStrictEqual(noted, Option.some({ untilMs: at("12:00:00"), left: [] }))
    }).pipe(Effect.scoped)
  )
})

describe("the journal of a cluster", () => {
  for (const length of [235, 236, 253]) {
    it.effect(`whose name has ${length} characters is kept, found and forgotten`, () =>
      Effect.gen(function* () {
        const directory = yield* temporaryDirectory
        const hour = { cluster: ClusterName.make("a".repeat(length)), startMs: at("10:00:00") }
        const seen: JournalEntry = { _tag: "Seen", spans: [{ fromMs: hour.startMs, toMs: hour.startMs + 1 }] }
        const left = { untilMs: hour.startMs, left: [] }
        yield* Effect.gen(function* () {
          const journal = yield* HourJournal
          yield* journal.append(hour, [seen])
          yield* journal.noteBackfill(hour.cluster, left)
        }).pipe(Effect.provide(layerFiles({ directory })))
        yield* Effect.gen(function* () {
          const journal = yield* HourJournal
          assert.deepStrictEqual(yield* journal.kept, [hour])
          assert.deepStrictEqual(yield* journal.read(hour), [seen])
          assert.deepStrictEqual(yield* journal.backfill(hour.cluster), Option.some(left))
          yield* journal.remove(hour)
          assert.deepStrictEqual(yield* journal.kept, [])
        }).pipe(Effect.provide(layerFiles({ directory })))
      }).pipe(Effect.scoped)
    )
  }
})
