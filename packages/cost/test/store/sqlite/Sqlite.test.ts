import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, type Scope } from "effect"
import { execFile, spawn } from "node:child_process"
import { chmod, mkdir, readdir, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { promisify } from "node:util"
import { CostStore } from "../../../src/store/CostStore.ts"
import { check, layerSqlite } from "../../../src/store/sqlite/Sqlite.ts"
import { HOUR_MS } from "../../../src/hour/Units.ts"
import { temporaryDirectory } from "../../temporaryDirectory.ts"
import { keepsCosts } from "../contract.ts"
import { addedUp, amountsOf, at, cost, days, hour, hoursFrom, prod, series, stage } from "../samples.ts"

const monday = at("2026-03-02T00:00")

/** Runs against a store that is opened for it and closed after it. */
const withStore = <A, E>(directory: string, body: (store: CostStore["Service"]) => Effect.Effect<A, E, Scope.Scope>) =>
  Effect.gen(function* () {
    return yield* body(yield* CostStore)
  }).pipe(Effect.provide(Layer.fresh(layerSqlite({ directory }))))

const openFailure = (directory: string) => Effect.flip(withStore(directory, () => Effect.void))

const permissionsOf = (path: string) => Effect.promise(async () => (await stat(path)).mode & 0o777)

const program = (directory: string, body: string) => [
  "--conditions=@quarterdeck/source",
  "--input-type=module",
  "--eval",
  `import { Effect } from "effect"
   import { CostStore } from "@quarterdeck/cost/CostStore"
   import { Measure } from "@quarterdeck/cost"
   import { layerSqlite } from "@quarterdeck/cost/store/Sqlite"
   const program = Effect.gen(function* () { const store = yield* CostStore; ${body} })
   await Effect.runPromise(Effect.provide(program, layerSqlite({ directory: ${JSON.stringify(directory)} })))`
]

/** Closes hours one after the other and names each once it is closed. */
const closingHours = (count: number) => `
  for (let index = 0; index < ${count}; index++) {
    const names = Array.from({ length: 40 }, (_, place) => "w-" + (place + index))
    const values = Measure.columns(names.length)
    values.cpuCostNanos.fill(index + 1)
    yield* store.close({
      cluster: "prod", startMs: ${monday} + index * ${HOUR_MS}, knownSeconds: 3600, columns: values,
      series: names.map((name) => ({ namespace: "shop", kind: "Deployment", name, uid: name, labels: {} })),
      rates: [], rateOf: new Int32Array(names.length).fill(-1), shares: []
    })
    process.stdout.write(index + "\\n")
  }
  yield* Effect.never`

/** Runs a program until it has printed a line, kills it, and gives the lines that it printed in all. */
const killedAfter = (args: ReadonlyArray<string>, line: string) =>
  Effect.callback<ReadonlyArray<string>>((resume) => {
    const child = spawn(process.execPath, args, { cwd: import.meta.dirname, stdio: ["ignore", "pipe", "inherit"] })
    let printed = ""
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      printed += chunk
      if (printed.includes(`${line}\n`)) child.kill("SIGKILL")
    })
    child.on("close", () => resume(Effect.succeed(printed.split("\n").filter((text) => text !== ""))))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

describe("the cost store in SQLite", () => {
  keepsCosts(Layer.unwrap(Effect.map(temporaryDirectory, (directory) => layerSqlite({ directory }))), 40)

  it.live("reads the same after a restart, and goes on from there", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const hours = hoursFrom(monday, 60).map((startMs, index) =>
        hour(startMs, [
          [series("api"), { cpuCostNanos: index + 1, replicaSeconds: 3_600 }],
          [series(`job-${index % 11}`, { uid: `uid-${index}` }), { memoryCostNanos: index * index }]
        ])
      )
      for (const part of [hours.slice(0, 20), hours.slice(20, 30), hours.slice(30)]) {
        yield* withStore(directory, (store) => Effect.forEach(part, (one) => store.close(one)))
      }
      yield* withStore(directory, (store) =>
        Effect.gen(function* () {
          assert.deepStrictEqual(yield* store.hours(prod, { startMs: 0, endMs: monday + days(9) }), hours)
          const [sums] = yield* store.sums([prod], { startMs: monday + 5 * HOUR_MS, endMs: monday + 55 * HOUR_MS })
          assert(sums !== undefined)
          const expected = addedUp(hours, monday + 5 * HOUR_MS, monday + 55 * HOUR_MS)
          assert.deepStrictEqual(amountsOf(sums), expected.amounts)
        })
      )
      assert.deepStrictEqual(yield* check({ directory }), { hours: 60, days: 2, findings: [] })
    })
  )

  it.live("reads while a day is half over, before and after it goes on", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const hours = hoursFrom(monday, 30).map((startMs, index) => cost(startMs, `w-${index % 4}`, index + 1))
      yield* withStore(directory, (store) => Effect.forEach(hours.slice(0, 10), (one) => store.close(one)))
      yield* withStore(directory, (store) =>
        Effect.gen(function* () {
          for (const closed of [10, 20, 30]) {
            if (closed > 10) yield* Effect.forEach(hours.slice(closed - 10, closed), (one) => store.close(one))
            for (const [from, to] of [
              [0, 5],
              [3, 10],
              [0, 48],
              [12, 26]
            ] as const) {
              const window = { startMs: monday + from * HOUR_MS, endMs: monday + to * HOUR_MS }
              const [sums] = yield* store.sums([prod], window)
              assert(sums !== undefined)
              const expected = addedUp(hours.slice(0, closed), window.startMs, window.endMs)
              assert.deepStrictEqual(amountsOf(sums), expected.amounts)
            }
          }
        })
      )
    })
  )

  it.live("loses no closed hour and keeps none half when it is killed while it closes a hundred", () =>
    Effect.gen(function* () {
      for (const line of ["1", "37", "88"]) {
        const directory = yield* temporaryDirectory
        const closed = yield* killedAfter(program(directory, closingHours(100)), line)
        assert.isAtLeast(closed.length, Number(line) + 1)
        const { findings, hours } = yield* check({ directory })
        assert.deepStrictEqual(findings, [])
        // The one that was being closed may be there, whole.
        assert.includeMembers([closed.length, closed.length + 1], [hours])
        const read = yield* withStore(directory, (store) =>
          store.hours(prod, { startMs: monday, endMs: monday + days(9) })
        )
        assert.strictEqual(read.length, hours)
        for (const [index, one] of read.entries()) {
          assert.strictEqual(one.startMs, monday + index * HOUR_MS)
          assert.strictEqual(one.series.length, 40)
          assert.isTrue(one.columns.cpuCostNanos.every((value) => value === index + 1))
        }
      }
    })
  )

  it.live("names series once that two hours bring at the same time", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const window = { startMs: monday, endMs: monday + days(2) }
      const hours = hoursFrom(monday, 10).map((startMs) => cost(startMs, "api", 5))
      yield* withStore(directory, (store) =>
        Effect.gen(function* () {
          yield* Effect.forEach(hours, (one) => store.close(one), { concurrency: "unbounded" })
          const [sums] = yield* store.sums([prod], window)
          assert.deepStrictEqual(sums?.series, [series("api")])
        })
      )
    })
  )

  it.live("knows a series again that comes back with its labels in another order", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* withStore(directory, (store) =>
        Effect.gen(function* () {
          for (const [index, labels] of [
            { app: "api", tier: "web" },
            { tier: "web", app: "api" }
          ].entries()) {
            yield* store.close(hour(monday + index * HOUR_MS, [[series("api", { labels }), { cpuCostNanos: 1 }]]))
          }
          const [sums] = yield* store.sums([prod], { startMs: monday, endMs: monday + days(1) })
          assert.deepStrictEqual(sums?.columns.cpuCostNanos, Float64Array.of(2))
        })
      )
    })
  )

  it.live("names many series, more than it reads at once", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const named = Array.from({ length: 2_500 }, (_, index) => series(`w-${index}`))
      const closed = hour(
        monday,
        named.map((one, index) => [one, { cpuCostNanos: index + 1 }])
      )
      yield* withStore(directory, (store) => store.close(closed))
      yield* withStore(directory, (store) =>
        Effect.gen(function* () {
          yield* store.close({ ...closed, startMs: monday + HOUR_MS })
          const [sums] = yield* store.sums([prod], { startMs: monday + HOUR_MS, endMs: monday + days(1) })
          assert.deepStrictEqual(sums?.series, named)
          const read = yield* store.hours(prod, { startMs: monday, endMs: monday + HOUR_MS })
          assert.deepStrictEqual(read, [closed])
        })
      )
      const { findings } = yield* check({ directory })
      assert.deepStrictEqual(findings, [])
    })
  )

  it.live("forgets series with their last day, and gives none of their ids again", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* withStore(directory, (store) =>
        Effect.gen(function* () {
          yield* store.close(cost(monday, "old", 1))
          yield* store.close(cost(monday + days(2), "api", 1))
          yield* store.prune({ hoursBeforeMs: 0, daysBeforeMs: monday + days(1) })
          yield* store.close(cost(monday + days(2) + HOUR_MS, "old", 5))
        })
      )
      yield* withStore(directory, (store) =>
        store.prune({ hoursBeforeMs: monday + days(4), daysBeforeMs: monday + days(4) })
      )
      yield* withStore(directory, (store) =>
        Effect.gen(function* () {
          yield* store.close(cost(monday + days(5), "old", 7))
          const [sums] = yield* store.sums([prod], { startMs: monday, endMs: monday + days(9) })
          assert.deepStrictEqual(sums?.series, [series("old")])
          assert.deepStrictEqual(sums?.columns.cpuCostNanos, Float64Array.of(7))
        })
      )
      const open = new DatabaseSync(join(directory, "cost.sqlite"))
      const kept = open.prepare("SELECT id FROM series_ids").all()
      open.close()
      assert.deepStrictEqual(
        kept.map((row) => row["id"]),
        [2]
      )
    })
  )

  it.live("takes nothing from an hour that is no whole numbers, and goes on", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* withStore(directory, (store) =>
        Effect.gen(function* () {
          yield* store.close(cost(monday, "api", 5))
          for (const wrong of [0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
            const error = yield* Effect.flip(store.close(cost(monday + HOUR_MS, "db", wrong)))
            assert.strictEqual(error.message, `could not close an hour: ${wrong} is not a whole number`)
          }
          const both = [cost(monday, "api", 9, { cluster: stage }), cost(monday, "db", 0.5)]
          yield* Effect.flip(store.rewrite(both))
          yield* store.close(cost(monday + HOUR_MS, "db", 7))
          const sums = yield* store.sums([prod, stage], { startMs: monday, endMs: monday + days(1) })
          assert.deepStrictEqual(
            sums.map((one) => amountsOf(one)),
            [addedUp([cost(monday, "api", 5), cost(monday + HOUR_MS, "db", 7)], monday, monday + days(1)).amounts, {}]
          )
        })
      )
    })
  )

  it.live("makes its directory and files readable by their owner alone", () =>
    Effect.gen(function* () {
      const directory = join(yield* temporaryDirectory, "data")
      yield* withStore(directory, (store) =>
        Effect.gen(function* () {
          yield* store.close(cost(monday, "api", 5))
          assert.strictEqual(yield* permissionsOf(directory), 0o700)
          const files = yield* Effect.promise(() => readdir(directory))
          assert.includeMembers(files, ["cost.sqlite", "cost.sqlite-wal"])
          for (const file of files) assert.strictEqual(yield* permissionsOf(join(directory, file)), 0o600, file)
        })
      )
      yield* Effect.promise(() => chmod(join(directory, "cost.sqlite"), 0o644))
      yield* withStore(directory, () => Effect.void)
      assert.strictEqual(yield* permissionsOf(join(directory, "cost.sqlite")), 0o600)
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(directory)), ["cost.sqlite"])
    })
  )

  it.live("refuses a file that a newer program wrote, and leaves it as it is", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* withStore(directory, (store) => store.close(cost(monday, "api", 5)))
      const open = new DatabaseSync(join(directory, "cost.sqlite"))
      open.exec("INSERT INTO schema_version (version) VALUES (99)")
      const error = yield* openFailure(directory)
      assert.strictEqual(error.reason._tag, "StoreUnreadable")
      assert.strictEqual(
        error.message,
        "the cost history has schema version 99, this program knows 4: run the newer program, or restore a backup"
      )
      assert.strictEqual(open.prepare("SELECT count(*) AS count FROM steps").get()?.["count"], 1)
      open.close()
    })
  )

  it.live("fails with one clear error on a file that is no database, and where it cannot make one", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const file = join(directory, "cost.sqlite")
      yield* Effect.promise(() => writeFile(file, "not a database, and longer than a header".repeat(40)))
      assert.strictEqual(
        (yield* openFailure(directory)).message,
        "could not open the cost history: file is not a database"
      )
      const other = yield* temporaryDirectory
      yield* Effect.promise(() => mkdir(join(other, "cost.sqlite")))
      const error = yield* openFailure(other)
      assert.strictEqual(error.reason._tag, "StoreUnavailable")
    })
  )

  it.live("starts its thread in a program that runs from the source", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const { stdout } = yield* Effect.promise(() =>
        promisify(execFile)(
          process.execPath,
          program(directory, "process.stdout.write(JSON.stringify(yield* store.extents))"),
          { cwd: import.meta.dirname }
        )
      )
      assert.strictEqual(stdout, "[]")
    })
  )
})
