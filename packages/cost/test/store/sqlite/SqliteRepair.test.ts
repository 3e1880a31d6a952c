import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { cp, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { Effect, Layer, Stream, type Scope } from "effect"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fromCsv, toCsv } from "../../../src/export/CostExport.ts"
import { CostStore } from "../../../src/store/CostStore.ts"
import type { LostHours } from "../../../src/export/LostHours.ts"
import { check, layerSqlite, repair } from "../../../src/store/sqlite/Sqlite.ts"
import { HOUR_MS } from "../../../src/hour/Units.ts"
import { temporaryDirectory } from "../../temporaryDirectory.ts"
import { addedUp, amountsOf, at, cost, days, hour, hoursFrom, prod, series } from "../samples.ts"

const monday = at("2026-03-02T00:00")
const MONDAY_DAY = monday / days(1)
/** Two whole days and a half, of which each hour has a series of its own beside a lasting one. */
const hours = hoursFrom(monday, 60).map((startMs, index) =>
  hour(startMs, [
    [series("api"), { cpuCostNanos: 2 ** (index % 30), replicaSeconds: 3_600 }],
    [series(`job-${index}`), { cpuCostNanos: 1_000 + index }]
  ])
)

const withStore = <A, E>(directory: string, body: (store: CostStore["Service"]) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.gen(function* () {
    return yield* body(yield* CostStore)
  }).pipe(Effect.scoped, Effect.provide(Layer.fresh(layerSqlite({ directory }))))

/** Where a file with all hours lies, written once: each of them is synced to the disk. */
let whole = ""
beforeAll(async () => {
  whole = await mkdtemp(join(tmpdir(), "quarterdeck-repair-"))
  await Effect.runPromise(
    withStore(whole, (store) => Effect.forEach(hours, (one) => store.close(one), { discard: true }))
  )
})
afterAll(() => rm(whole, { recursive: true }))

/** A file with all hours. */
const copied = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  yield* Effect.promise(() => cp(whole, directory, { recursive: true }))
  return directory
})

/** A file with all hours, to which something was done. */
const damaged = Effect.fnUntraced(function* (statement: string) {
  const directory = yield* copied
  const file = new DatabaseSync(join(directory, "cost.sqlite"))
  const { changes } = file.prepare(statement).run()
  file.close()
  assert.isAbove(Number(changes), 0)
  return directory
})

const sumsIn = Effect.fnUntraced(function* (store: CostStore["Service"], startMs: number, endMs: number) {
  const [sums] = yield* store.sums([prod], { startMs, endMs })
  assert(sums !== undefined)
  return { knownSeconds: sums.knownSeconds, amounts: amountsOf(sums) }
})

const sumsOf = (directory: string, startMs: number, endMs: number) =>
  withStore(directory, (store) => sumsIn(store, startMs, endMs))

/** Holds a file to the sums of ranges, each in hours from Monday on. */
const addsUp = (directory: string, ranges: ReadonlyArray<readonly [from: number, to: number]>) =>
  withStore(directory, (store) =>
    Effect.forEach(ranges, ([from, to]) => {
      const [startMs, endMs] = [monday + from * HOUR_MS, monday + to * HOUR_MS]
      return Effect.map(sumsIn(store, startMs, endMs), (sums) =>
        assert.deepStrictEqual(sums, expected(startMs, endMs), `hours ${from} to ${to}`)
      )
    })
  )

const expected = (startMs: number, endMs: number) => addedUp(hours, startMs, endMs)

const hoursRow = (epoch: number, step: number) => `level = 0 AND epoch = ${epoch} AND step = ${step}`
/** March 2026, months since the year 0. */
const MARCH = 2026 * 12 + 2

describe("checking and repairing the cost history", () => {
  it.live("finds nothing in a whole file, and changes nothing of it", () =>
    Effect.gen(function* () {
      const directory = yield* damaged("UPDATE clusters SET name = name")
      const whole = { hours: 60, days: 2, findings: [] }
      assert.deepStrictEqual(yield* check({ directory }), whole)
      assert.deepStrictEqual(yield* repair({ directory }), whole)
      assert.deepStrictEqual(yield* sumsOf(directory, monday, monday + days(3)), expected(monday, monday + days(3)))
    })
  )

  it.live("says that a damaged hour cannot be read rather than sum it", () =>
    Effect.gen(function* () {
      const directory = yield* damaged(
        `UPDATE steps SET sums = zeroblob(length(sums)) WHERE ${hoursRow(MONDAY_DAY, 5)}`
      )
      const error = yield* Effect.flip(sumsOf(directory, monday, monday + 6 * HOUR_MS))
      assert.strictEqual(error.reason._tag, "StoreUnreadable")
      assert.match(error.message, /^the sums of the hour 2026-03-02T05:00Z of cluster prod are damaged$/)
      const { findings } = yield* check({ directory })
      assert.deepStrictEqual(
        findings.map(({ cluster, startMs, what }) => ({ cluster, startMs, what })),
        [{ cluster: "prod", startMs: monday + 5 * HOUR_MS, what: "hour" }]
      )
    })
  )

  it.live("lets a lost hour count in the hour after it", () =>
    Effect.gen(function* () {
      const directory = yield* damaged(
        `UPDATE steps SET sums = zeroblob(length(sums)) WHERE ${hoursRow(MONDAY_DAY, 5)}`
      )
      assert.strictEqual((yield* repair({ directory })).findings.length, 1)
      assert.deepStrictEqual((yield* check({ directory })).findings, [])
      yield* addsUp(directory, [
        [0, 5],
        [0, 7],
        [5, 7],
        [0, 72],
        [7, 30]
      ])
      const read = yield* withStore(directory, (store) =>
        store.hours(prod, { startMs: monday, endMs: monday + days(3) })
      )
      assert.strictEqual(read.length, 59)
      assert.deepStrictEqual(
        read.filter(({ startMs }) => startMs !== monday + 6 * HOUR_MS),
        hours.filter(({ startMs }) => startMs !== monday + 5 * HOUR_MS && startMs !== monday + 6 * HOUR_MS)
      )
    })
  )

  it.live("says where lost hours count, and an export tells those that count in their day alone", () =>
    Effect.gen(function* () {
      const directory = yield* damaged(
        `UPDATE steps SET sums = zeroblob(length(sums)) WHERE level = 0
          AND (epoch, step) IN ((${MONDAY_DAY}, 5), (${MONDAY_DAY}, 23), (${MONDAY_DAY + 1}, 1), (${MONDAY_DAY + 2}, 11))`
      )
      const { findings } = yield* repair({ directory })
      assert.deepStrictEqual(
        findings.map(({ counts, startMs }) => [(startMs - monday) / HOUR_MS, counts]),
        [
          [5, "in the hour 2026-03-02T06:00Z"],
          [23, "in the total of its day alone"],
          [25, "in the hour 2026-03-03T02:00Z"],
          [59, "nowhere"]
        ]
      )
      const always = { startMs: 0, endMs: monday + days(9) }
      const lost: Array<LostHours> = []
      const onLost = (one: LostHours) => Effect.sync(() => void lost.push(one))
      const text = yield* withStore(directory, (store) =>
        Stream.mkString(toCsv([prod], always, { onLost })).pipe(Effect.provideService(CostStore, store))
      )
      assert.deepStrictEqual(lost, [{ cluster: prod, startMs: monday, seconds: 3_600 }])
      // What is in the file can be taken in again, the hour with two hours in it too.
      const other = yield* temporaryDirectory
      const { written } = yield* withStore(other, (store) =>
        fromCsv(Stream.make(text), { closed: "skip" }).pipe(Effect.provideService(CostStore, store))
      )
      assert.strictEqual(written, 56)
      const [startMs, endMs] = [monday + days(1), monday + days(2)]
      assert.deepStrictEqual(yield* sumsOf(other, startMs, endMs), expected(startMs, endMs))
    })
  )

  it.live("keeps the day whole when what its hours are read by is lost", () =>
    Effect.gen(function* () {
      const directory = yield* damaged(`UPDATE steps SET slots = zeroblob(9) WHERE ${hoursRow(MONDAY_DAY, 8)}`)
      const { findings } = yield* repair({ directory })
      assert.strictEqual(findings.length, 16)
      assert.deepStrictEqual((yield* check({ directory })).findings, [])
      yield* addsUp(directory, [
        [0, 8],
        [0, 24],
        [8, 24],
        [0, 72],
        [25, 50]
      ])
    })
  )

  it.live("makes a lost day again from its hours", () =>
    Effect.gen(function* () {
      for (const column of ["sums", "slots"]) {
        const directory = yield* damaged(
          `UPDATE steps SET ${column} = zeroblob(9) WHERE level = 1 AND epoch = ${MARCH} AND step = 1`
        )
        const { findings } = yield* repair({ directory })
        assert.isAbove(findings.length, 0)
        assert.deepStrictEqual((yield* check({ directory })).findings, [])
        yield* addsUp(directory, [
          [0, 24],
          [24, 48],
          [0, 72]
        ])
      }
    })
  )

  it.live("makes a day again that says something else than its hours", () =>
    Effect.gen(function* () {
      const directory = yield* copied
      const file = new DatabaseSync(join(directory, "cost.sqlite"))
      // Yesterday's hour in place of today's, with all of its checksums.
      const other = yield* damaged("UPDATE clusters SET name = name")
      yield* withStore(other, (store) => store.rewrite([cost(monday + 23 * HOUR_MS, "api", 5)]))
      file.exec(`ATTACH '${join(other, "cost.sqlite")}' AS other;
        DELETE FROM steps WHERE ${hoursRow(MONDAY_DAY, 23)};
        INSERT INTO steps SELECT * FROM other.steps WHERE ${hoursRow(MONDAY_DAY, 23)};`)
      file.close()
      const { findings } = yield* repair({ directory })
      const counts = "in itself: it was made again from its hours"
      const problem = "the hours do not add up to the day"
      assert.deepStrictEqual(findings, [{ cluster: "prod", what: "day", startMs: monday, problem, counts }])
      assert.deepStrictEqual((yield* check({ directory })).findings, [])
      const after = [
        ...hours.filter(({ startMs }) => startMs !== monday + 23 * HOUR_MS),
        cost(monday + 23 * HOUR_MS, "api", 5)
      ]
      for (const to of [1, 2, 3]) {
        const sums = yield* sumsOf(directory, monday, monday + days(to))
        assert.deepStrictEqual(sums, addedUp(after, monday, monday + days(to)))
      }
    })
  )

  it.live("keeps what a lost series cost under a name of its own", () =>
    Effect.gen(function* () {
      const directory = yield* damaged(
        "UPDATE series SET texts = zeroblob(4) WHERE first = (SELECT max(first) FROM series)"
      )
      const error = yield* Effect.flip(sumsOf(directory, monday, monday + days(3)))
      assert.strictEqual(error.reason._tag, "StoreUnreadable")
      const { findings } = yield* repair({ directory })
      assert.deepStrictEqual(
        findings.map(({ what }) => what),
        ["series"]
      )
      assert.deepStrictEqual((yield* check({ directory })).findings, [])
      const { amounts } = yield* sumsOf(directory, monday, monday + days(3))
      assert.strictEqual(Object.keys(amounts).length, 61)
      assert.deepStrictEqual(
        Object.keys(amounts).filter((key) => key.includes("lost-60")),
        ['["","Unknown","lost-60","",[]]']
      )
    })
  )

  it.live("gives a series that was lost, and that nobody named, a new id when it comes again", () =>
    Effect.gen(function* () {
      const directory = yield* damaged(
        "UPDATE series SET texts = zeroblob(4) WHERE first = (SELECT max(first) FROM series)"
      )
      const limits = { hoursBeforeMs: monday + days(9), daysBeforeMs: monday + days(9) }
      yield* withStore(directory, (store) => store.prune(limits))
      yield* repair({ directory })
      const again = hour(monday + days(10), [[series("job-59"), { cpuCostNanos: 5 }]])
      yield* withStore(directory, (store) => store.close(again))
      assert.deepStrictEqual(
        yield* sumsOf(directory, monday, monday + days(11)),
        addedUp([again], monday, monday + days(11))
      )
      assert.deepStrictEqual((yield* check({ directory })).findings, [])
    })
  )
})

/** A workload of 600 dollars a month in a book of dong: a month of it is beyond 2^53. **Units** billionths. */
const dongOf = (index: number): number => 21_166_666_666_667 + ((index * index * 31 + (index % 5)) % 977)
const march = at("2026-03-01T00:00")
const inDong = hoursFrom(march, 31 * 24 + 1).map((startMs, index) => cost(startMs, "api", dongOf(index)))

describe("checking sums that are too large to be exact", () => {
  it.live("finds nothing wrong with a month whose running sums were rounded", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* withStore(directory, (store) => Effect.forEach(inDong, (one) => store.close(one), { discard: true }))
      assert.deepStrictEqual(yield* check({ directory }), { hours: 745, days: 31, findings: [] })
    })
  )

  it.live("finds nothing wrong with one that was priced in small money later", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const inDollars = inDong.map(({ startMs }, index) => cost(startMs, "api", Math.round(dongOf(index) / 25_400)))
      yield* withStore(directory, (store) =>
        Effect.gen(function* () {
          yield* Effect.forEach(inDong, (one) => store.close(one), { discard: true })
          for (let from = 0; from < inDollars.length; from += 24) yield* store.rewrite(inDollars.slice(from, from + 24))
        })
      )
      assert.deepStrictEqual((yield* check({ directory })).findings, [])
      assert.deepStrictEqual(
        yield* sumsOf(directory, march, march + days(31)),
        addedUp(inDollars, march, march + days(31))
      )
    })
  )

  it.live("still finds a day that its hours do not come to, and mends it", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const other = yield* temporaryDirectory
      const isIn = `level = 1 AND epoch = ${MARCH} AND step >= 29`
      yield* withStore(directory, (store) => Effect.forEach(inDong, (one) => store.close(one), { discard: true }))
      yield* withStore(other, (store) =>
        Effect.gen(function* () {
          yield* Effect.forEach(inDong, (one) => store.close(one), { discard: true })
          // An hour that cost a hundredth more.
          yield* store.rewrite([cost(march + days(29), "api", Math.round(dongOf(0) * 1.01))])
        })
      )
      const file = new DatabaseSync(join(directory, "cost.sqlite"))
      file.exec(`ATTACH '${join(other, "cost.sqlite")}' AS other;
        DELETE FROM steps WHERE ${isIn}; INSERT INTO steps SELECT * FROM other.steps WHERE ${isIn};`)
      file.close()
      const { findings } = yield* repair({ directory })
      assert.deepStrictEqual(
        findings.map(({ startMs }) => startMs),
        [march + days(29)]
      )
      assert.deepStrictEqual((yield* check({ directory })).findings, [])
    })
  )
})
