import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { CostError, StoreUnavailable } from "../../src/hour/CostError.ts"
import * as PriceBook from "../../src/price/PriceBook.ts"
import * as PriceHistory from "../../src/price/PriceHistory.ts"
import { Prices, layerMemory, make } from "../../src/price/Prices.ts"
import { layerFile } from "../../src/price/PricesFile.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { bookOf, cpu } from "./samples.ts"

const limits = { hourlyDays: 100, hasCosts: false }
const nowMs = Date.parse("2026-03-08T10:30:00Z")
const layers = {
  memory: layerMemory,
  file: Layer.unwrap(Effect.map(temporaryDirectory, (directory) => layerFile({ directory })))
}

describe.each(Object.entries(layers))("prices in %s", (_, layer) => {
  it.effect("begin as the defaults, and count from when they are changed", () =>
    Effect.gen(function* () {
      const prices = yield* Prices
      assert.deepStrictEqual(PriceHistory.current(yield* prices.history), PriceBook.initial)
      yield* TestClock.setTime(nowMs)
      yield* prices.replace(bookOf(cpu(1)), limits)
      const history = yield* prices.history
      assert.deepStrictEqual(PriceHistory.current(history), { ...bookOf(cpu(1)), version: 2 })
      assert.deepStrictEqual(
        history.map(({ sinceMs }) => sinceMs),
        [0, nowMs]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("take one of many changes at once", () =>
    Effect.gen(function* () {
      const prices = yield* Prices
      const results = yield* Effect.forEach(
        [1, 2, 3, 4],
        (price) => prices.replace(bookOf(cpu(price)), limits).pipe(Effect.flip, Effect.option),
        { concurrency: "unbounded" }
      )
      const errors = results.flatMap((error) => (error._tag === "Some" ? [error.value._tag] : []))
      assert.deepStrictEqual(errors, ["StalePriceBook", "StalePriceBook", "StalePriceBook"])
      assert.strictEqual((yield* prices.history).length, 2)
    }).pipe(Effect.provide(layer))
  )
})

describe("prices in a file", () => {
  it.live("are the same after a restart, readable by their owner alone", () =>
    Effect.gen(function* () {
      const directory = join(yield* temporaryDirectory, "data")
      const layer = layerFile({ directory })
      const changed = bookOf(cpu(1, { capacity: "spot" }, { validFrom: "2099-01-01T00:00:00Z" }))
      const before = yield* Effect.gen(function* () {
        const prices = yield* Prices
        yield* prices.replace(changed, limits)
        return yield* prices.history
      }).pipe(Effect.provide(Layer.fresh(layer)))
      const after = yield* Effect.provide(
        Effect.flatMap(Prices, ({ history }) => history),
        Layer.fresh(layer)
      )
      assert.deepStrictEqual(after, before)
      assert.deepStrictEqual(yield* Effect.promise(() => readdir(directory)), ["prices.json"])
      const { mode } = yield* Effect.promise(() => stat(join(directory, "prices.json")))
      assert.strictEqual(mode & 0o777, 0o600)
    }).pipe(Effect.scoped)
  )

  it.live.each([
    "",
    "{",
    "[]",
    "[{}]",
    '[{"sinceMs":0,"book":{"version":1}}]',
    JSON.stringify([{ sinceMs: 0, until: 1, book: PriceBook.initial }])
  ])("are refused when the file holds %j", (text) =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.promise(() => writeFile(join(directory, "prices.json"), text))
      const error = yield* Effect.flip(Effect.provide(Prices, Layer.fresh(layerFile({ directory }))))
      assert.strictEqual(error.reason._tag, "StoreUnreadable")
      assert.include(error.message, "prices.json")
    }).pipe(Effect.scoped)
  )

  it.live("stay as they were when they cannot be kept", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function* () {
        const prices = yield* Prices
        // A directory where the draft would be: so it fails for root too.
        yield* Effect.promise(() => mkdir(join(directory, "prices.json.new")))
        const error = yield* Effect.flip(prices.replace(bookOf(cpu(1)), limits))
        assert.strictEqual(error._tag, "CostError")
        assert.deepStrictEqual(PriceHistory.current(yield* prices.history), PriceBook.initial)
      }).pipe(Effect.provide(layerFile({ directory })))
    }).pipe(Effect.scoped)
  )
})

describe("a change whose asker goes away", () => {
  it.effect("is kept and counts, once it is being written", () =>
    Effect.gen(function* () {
      const [begun, gate] = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
      const disk = yield* Ref.make(PriceHistory.initial)
      const prices = yield* make(PriceHistory.initial, (history) =>
        Deferred.succeed(begun, undefined).pipe(
          Effect.andThen(Deferred.await(gate)),
          Effect.andThen(Ref.set(disk, history))
        )
      )
      const asker = yield* Effect.forkChild(prices.replace(bookOf(cpu(1)), limits))
      yield* Deferred.await(begun)
      const gone = yield* Effect.forkChild(Fiber.interrupt(asker))
      yield* Effect.yieldNow
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(gone)
      assert.strictEqual(PriceHistory.current(yield* prices.history).version, 2)
      assert.strictEqual(yield* Ref.get(disk), yield* prices.history)
    })
  )

  it.live("is the same in the file as in the service, whenever that is", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      yield* Effect.gen(function* () {
        const prices = yield* Prices
        for (let turns = 0; turns < 40; turns++) {
          const before = PriceHistory.current(yield* prices.history)
          const asker = yield* Effect.forkChild(prices.replace({ ...before, rate: turns + 2 }, limits))
          for (let turn = 0; turn < turns; turn++) yield* Effect.yieldNow
          yield* Fiber.interrupt(asker)
          const written = yield* Effect.promise(() =>
            readFile(join(directory, "prices.json"), "utf8").catch(() => JSON.stringify(PriceHistory.initial))
          )
          assert.strictEqual(written, JSON.stringify(yield* prices.history))
        }
      }).pipe(Effect.provide(layerFile({ directory })))
    }).pipe(Effect.scoped)
  )
})

describe("a change that gives closed hours another price", () => {
  it.effect("is made inside what is to be done around it, or not at all", () =>
    Effect.gen(function* () {
      const prices = yield* Prices
      yield* TestClock.setTime(nowMs)
      const back = bookOf(cpu(1, {}, { validFrom: "2026-03-01T00:00:00Z" }))
      const broken = new CostError({
        reason: new StoreUnavailable({ action: "note", cause: new Error("no space left") })
      })
      const error = yield* Effect.flip(prices.replace(back, limits, () => Effect.fail(broken)))
      assert.strictEqual(error, broken)
      assert.deepStrictEqual(PriceHistory.current(yield* prices.history), PriceBook.initial)

      const seen: Array<number> = []
      const version = Effect.map(prices.history, (history) => seen.push(PriceHistory.current(history).version))
      yield* prices.replace(back, limits, (fromMs, change) => {
        seen.push(fromMs)
        return version.pipe(Effect.andThen(change), Effect.andThen(version))
      })
      assert.deepStrictEqual(seen, [Date.parse("2026-03-01T00:00:00Z"), 1, 2])
    }).pipe(Effect.provide(layerMemory))
  )
})
