import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import type { PriceError } from "../../src/price/PriceError.ts"
import * as PriceBook from "../../src/price/PriceBook.ts"
import * as PriceHistory from "../../src/price/PriceHistory.ts"
import * as PriceChange from "../../src/price/PriceChange.ts"
import { priceOf } from "../../src/price/Rates.ts"
import type { PriceOverride } from "../../src/price/PriceOverride.ts"
import { DAY_MS, HOUR_MS } from "../../src/hour/Units.ts"
import { cpu, machine, onDemand, prod, spot } from "./samples.ts"

const at = (text: string): number => Date.parse(`${text}:00Z`)
const nowMs = at("2026-03-08T10:30")
const limits: PriceChange.RevisionLimits = { nowMs, hourlyDays: 100, hasCosts: true }

const put = (
  history: PriceHistory.PriceHistory,
  change: Partial<PriceBook.PriceBook>,
  rest: Partial<PriceChange.RevisionLimits> = {}
) => PriceChange.revise(history, { ...PriceHistory.current(history), ...change }, { ...limits, ...rest })
const putAt = (history: PriceHistory.PriceHistory, atMs: number, ...overrides: ReadonlyArray<PriceOverride>) =>
  Result.getOrThrow(put(history, { overrides }, { nowMs: atMs })).history
const cpuOver = (history: PriceHistory.PriceHistory, startMs: number, endMs = startMs + 1, rateClass = onDemand) =>
  priceOf(
    PriceHistory.ratesOver(history)({ cluster: prod, rateClass, machine }, { startMs, endMs }).cpuPicosPerCoreHour
  )
const errorOf = (result: Result.Result<unknown, PriceError>) => (Result.isFailure(result) ? result.failure : undefined)

describe("a changed book", () => {
  it("has the next version, and counts from now on", () => {
    const { history, repriceFromMs } = Result.getOrThrow(put(PriceHistory.initial, { overrides: [cpu(1)] }))
    assert.strictEqual(PriceHistory.current(history).version, 2)
    assert.isUndefined(repriceFromMs)
    assert.strictEqual(cpuOver(history, nowMs - 1), 0.031611)
    assert.strictEqual(cpuOver(history, nowMs), 1)
  })

  it("is refused when another was written since it was read", () => {
    const { history } = Result.getOrThrow(put(PriceHistory.initial, { rate: 2 }))
    const error = errorOf(put(history, { version: 1, rate: 3 }))
    assert.deepInclude(error, { _tag: "StalePriceBook", version: 2, askedVersion: 1 })
  })

  it("that changes nothing stays the same version", () => {
    const { history } = Result.getOrThrow(put(PriceHistory.initial, { overrides: [cpu(1)] }))
    assert.deepStrictEqual(Result.getOrThrow(put(history, { overrides: [cpu(1)] })).history, history)
  })

  it("may have another currency only while there are no costs", () => {
    assert.include(errorOf(put(PriceHistory.initial, { currency: "EUR" })), { field: "currency" })
    assert.isUndefined(errorOf(put(PriceHistory.initial, { currency: "EUR" }, { hasCosts: false })))
  })

  it("is refused for a price that is not 0 and would count as 0, by its field", () => {
    const { aws } = PriceBook.initial.default
    for (const [change, field] of [
      [{ overrides: [cpu(1), cpu(1e-14)] }, "overrides[1].cpuPerCoreHour"],
      [
        { default: { ...PriceBook.initial.default, aws: { ...aws, storagePerGiBHour: 4e-13 } } },
        "default.aws.storagePerGiBHour"
      ],
      [{ rate: 0.000_001, overrides: [cpu(4e-7)] }, "overrides[0].cpuPerCoreHour"]
    ] as const) {
      const error = errorOf(put(PriceHistory.initial, change))
      assert.deepInclude(error, { _tag: "InvalidPriceBook", field })
      assert.include(error?.message, "rounds to 0")
    }
    for (const price of [0, 1e-12]) assert.isUndefined(errorOf(put(PriceHistory.initial, { overrides: [cpu(price)] })))
  })

  it("keeps its order when the clock was set back", () => {
    const first = putAt(PriceHistory.initial, nowMs, cpu(1))
    const second = putAt(first, nowMs - HOUR_MS, cpu(2))
    assert.deepStrictEqual(
      second.map(({ sinceMs }) => sinceMs),
      [0, nowMs, nowMs]
    )
    assert.strictEqual(cpuOver(second, nowMs), 2)
  })

  it("forgets books that no hour needs, and the oldest of too many", () => {
    const old = putAt(putAt(PriceHistory.initial, nowMs, cpu(1)), nowMs + DAY_MS, cpu(2))
    const later = putAt(old, nowMs + 150 * DAY_MS, cpu(3))
    assert.deepStrictEqual(
      later.map(({ book }) => book.version),
      [3, 4]
    )

    let many: PriceHistory.PriceHistory = PriceHistory.initial
    for (let index = 1; index <= 1_005; index++) many = putAt(many, nowMs + index, cpu(index))
    assert.strictEqual(many.length, PriceChange.MAX_REVISIONS)
    assert.strictEqual(cpuOver(many, nowMs + 1_005), 1_005)
  })
})

describe("an override with validFrom", () => {
  it("in the future counts from then on", () => {
    const history = putAt(PriceHistory.initial, nowMs, cpu(1, {}, { validFrom: "2026-04-01T00:00:00Z" }))
    assert.strictEqual(cpuOver(history, at("2026-03-31T23:59")), 0.031611)
    assert.strictEqual(cpuOver(history, at("2026-04-01T00:00")), 1)
  })

  it("in the past tells from where on hours have another price", () => {
    const overrides = [cpu(1, {}, { validFrom: "2026-03-01T00:00:00Z" }), cpu(2, { capacity: "spot" })]
    const { history, repriceFromMs } = Result.getOrThrow(put(PriceHistory.initial, { overrides }))
    assert.strictEqual(repriceFromMs, at("2026-03-01T00:00"))
    assert.strictEqual(cpuOver(history, at("2026-02-28T23:59")), 0.031611)
    assert.strictEqual(cpuOver(history, at("2026-03-01T00:00")), 1)
    assert.strictEqual(cpuOver(history, at("2026-03-01T00:00"), undefined, spot), 1)
    assert.strictEqual(cpuOver(history, nowMs, undefined, spot), 2)
    assert.isUndefined(Result.getOrThrow(put(history, { rate: 2 })).repriceFromMs)
  })

  it("in the past leaves to each instant what else counted then", () => {
    const first = putAt(PriceHistory.initial, at("2026-02-01T00:00"), cpu(5))
    const second = putAt(first, at("2026-03-01T00:00"), cpu(6))
    const back = { validFrom: "2026-01-20T00:00:00Z" }
    const last = putAt(second, nowMs, cpu(6), { resource: "node", match: {}, memoryPerGiBHour: 9, ...back })
    assert.deepStrictEqual(
      ["2026-01-20T00:00", "2026-02-01T00:00", "2026-03-01T00:00"].map((text) => cpuOver(last, at(text))),
      [0.031611, 5, 6]
    )
    const { memoryPicosPerGiBHour } = PriceHistory.ratesOver(last)(
      { cluster: prod, rateClass: onDemand },
      { startMs: at("2026-02-01T00:00"), endMs: at("2026-02-01T01:00") }
    )
    assert.strictEqual(priceOf(memoryPicosPerGiBHour), 9)
  })

  it("is refused where hours were forgotten, though the setting would keep them by now", () => {
    const hoursFromMs = at("2026-03-01T00:00")
    const asked = (validFrom: string) =>
      PriceChange.revise(
        PriceHistory.initial,
        { ...PriceHistory.current(PriceHistory.initial), overrides: [cpu(5, {}, { validFrom })] },
        { ...limits, hoursFromMs }
      )
    const refused = Result.flip(asked("2026-02-28T23:00:00Z"))
    assert.strictEqual(
      Result.isSuccess(refused) ? refused.success.message : "",
      "overrides[0].validFrom: earlier hours are no longer stored: must be 2026-03-01T00:00:00.000Z or later"
    )
    assert.isTrue(Result.isSuccess(asked("2026-03-01T00:00:00Z")))
  })

  it("corrects an earlier one of the same instant", () => {
    const back = { validFrom: "2026-03-01T00:00:00Z" }
    const wrong = putAt(PriceHistory.initial, at("2026-03-05T00:00"), cpu(10, {}, back))
    const right = putAt(wrong, nowMs, cpu(1, {}, back))
    assert.strictEqual(cpuOver(wrong, at("2026-03-02T00:00")), 10)
    assert.deepStrictEqual(
      ["2026-03-02T00:00", "2026-03-06T00:00", "2026-03-09T00:00"].map((text) => cpuOver(right, at(text))),
      [1, 1, 1]
    )
  })

  it("corrects one that had a wrong day as well as a wrong price", () => {
    const wrong = putAt(PriceHistory.initial, at("2026-03-05T00:00"), cpu(9, {}, { validFrom: "2026-03-03T00:00:00Z" }))
    const right = cpu(0.09, {}, { validFrom: "2026-02-20T00:00:00Z" })
    const { history, repriceFromMs } = Result.getOrThrow(put(wrong, { overrides: [right] }))
    assert.strictEqual(repriceFromMs, at("2026-02-20T00:00"))
    assert.deepStrictEqual(
      ["2026-02-19T23:59", "2026-02-20T00:00", "2026-03-04T00:00", "2026-03-06T00:00", "2026-03-09T00:00"].map((text) =>
        cpuOver(history, at(text))
      ),
      [0.031611, 0.09, 0.09, 0.09, 0.09]
    )
  })

  it("corrects another from its own day on, and only for the same", () => {
    const early = { validFrom: "2026-02-20T00:00:00Z" }
    const wrong = putAt(
      PriceHistory.initial,
      at("2026-03-05T00:00"),
      cpu(9, {}, early),
      cpu(8, { capacity: "spot" }, early)
    )
    const right = putAt(wrong, nowMs, cpu(1, {}, { validFrom: "2026-03-01T00:00:00Z" }))
    assert.deepStrictEqual(
      ["2026-02-28T23:59", "2026-03-01T00:00"].map((text) => cpuOver(right, at(text))),
      [9, 1]
    )
    assert.strictEqual(cpuOver(right, at("2026-03-02T00:00"), undefined, spot), 8)
  })

  it("stands beside those that the same book has for other days", () => {
    const [early, late] = [{ validFrom: "2026-02-20T00:00:00Z" }, { validFrom: "2026-03-01T00:00:00Z" }]
    const first = putAt(PriceHistory.initial, at("2026-03-05T00:00"), cpu(9, {}, late))
    const both = putAt(first, nowMs, cpu(1, {}, early), cpu(9, {}, late))
    assert.deepStrictEqual(
      ["2026-02-28T23:59", "2026-03-01T00:00", "2026-03-09T00:00"].map((text) => cpuOver(both, at(text))),
      [1, 9, 9]
    )
  })

  it("that is removed counts no more from then on, and closed hours stay", () => {
    const back = { validFrom: "2026-03-01T00:00:00Z" }
    const wrong = putAt(PriceHistory.initial, at("2026-03-05T00:00"), cpu(9, {}, back))
    const { history, repriceFromMs } = Result.getOrThrow(put(wrong, { overrides: [] }))
    assert.isUndefined(repriceFromMs)
    assert.strictEqual(cpuOver(history, at("2026-03-02T00:00")), 9)
    assert.strictEqual(cpuOver(history, nowMs - 1), 9)
    assert.strictEqual(cpuOver(history, nowMs), 0.031611)
  })

  it("is taken back in closed hours too by one that states no price", () => {
    const wrong = putAt(PriceHistory.initial, at("2026-03-05T00:00"), cpu(9, {}, { validFrom: "2026-03-01T00:00:00Z" }))
    const none: PriceOverride = { resource: "node", match: {}, discountPercent: 0, validFrom: "2026-03-01T00:00:00Z" }
    assert.strictEqual(cpuOver(putAt(wrong, nowMs, none), at("2026-03-02T00:00")), 0.031611)
  })

  it("is refused before the hours that are kept, unless the book had it before", () => {
    const old = cpu(1, {}, { validFrom: "2025-11-27T23:59:59Z" })
    const error = errorOf(put(PriceHistory.initial, { overrides: [cpu(2), old] }))
    assert.include(error, { _tag: "InvalidPriceBook", field: "overrides[1].validFrom" })
    assert.include(error?.message, "2025-11-28T00:00:00.000Z")
    assert.isUndefined(
      errorOf(put(PriceHistory.initial, { overrides: [cpu(1, {}, { validFrom: "2025-11-28T00:00:00Z" })] }))
    )
    const earlier = putAt(PriceHistory.initial, at("2025-12-01T00:00"), old)
    assert.isUndefined(errorOf(put(earlier, { overrides: [old, cpu(3, { cluster: prod })] })))
  })
})

describe("an hour in which a price changes", () => {
  it("pays each for its part", () => {
    const history = putAt(
      PriceHistory.initial,
      nowMs - DAY_MS,
      cpu(1),
      cpu(3, {}, { validFrom: "2026-03-08T10:45:00Z" })
    )
    const hourMs = at("2026-03-08T10:00")
    assert.strictEqual(cpuOver(history, hourMs, hourMs + HOUR_MS), 1.5)
    assert.strictEqual(cpuOver(history, hourMs - HOUR_MS, hourMs), 1)
    assert.strictEqual(cpuOver(history, hourMs + HOUR_MS, hourMs + 2 * HOUR_MS), 3)
  })

  const Minute = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))
  const Price = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000 }))
  it.prop("costs what its minutes cost together", [Minute, Price, Minute, Price], ([one, price, other, otherPrice]) => {
    const hourMs = at("2026-03-09T10:00")
    const first = putAt(PriceHistory.initial, hourMs + Math.min(one, other) * 60_000, cpu(price))
    const history = putAt(first, hourMs + Math.max(one, other) * 60_000, cpu(otherPrice))
    let sum = 0
    for (let minute = 0; minute < 60; minute++) sum += cpuOver(history, hourMs + minute * 60_000)
    assert.approximately(cpuOver(history, hourMs, hourMs + HOUR_MS), sum / 60, 1e-9)
  })
})

describe("the history", () => {
  it("is gone through once, however many hours are charged by it", () => {
    const history = putAt(PriceHistory.initial, nowMs, cpu(1))
    assert.strictEqual(PriceHistory.ratesOver(history), PriceHistory.ratesOver(history))
    const later = putAt(history, nowMs + HOUR_MS, cpu(2))
    assert.strictEqual(cpuOver(later, nowMs + HOUR_MS), 2)
    assert.strictEqual(cpuOver(history, nowMs + HOUR_MS), 1)
  })

  it("is the same after it was written down", () => {
    const codec = Schema.fromJsonString(PriceHistory.PriceHistory)
    const history = putAt(PriceHistory.initial, nowMs, cpu(1, { capacity: "spot" }))
    assert.deepStrictEqual(Schema.decodeSync(codec)(Schema.encodeSync(codec)(history)), history)
  })
})
