import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as HourBuilder from "../../src/allocation/HourBuilder.ts"
import type { Hour } from "../../src/hour/Hour.ts"
import { isWorkload, IDLE } from "../../src/hour/Series.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import * as PriceHistory from "../../src/price/PriceHistory.ts"
import * as PriceChange from "../../src/price/PriceChange.ts"
import type { PriceOverride } from "../../src/price/PriceOverride.ts"
import * as HourPricing from "../../src/sampler/HourPricing.ts"
import { Drawn, factsOf } from "../allocation/drawn.ts"
import { at, amountOf, container, facts, node, pod, span, startMs } from "../allocation/facts.ts"
import { cpu, stage } from "../price/samples.ts"

/** A history in which a book was put at each of some instants. */
const booksAt = (...books: ReadonlyArray<readonly [atMs: number, ...ReadonlyArray<PriceOverride>]>) =>
  books.reduce<PriceHistory.PriceHistory>((history, [nowMs, ...overrides]) => {
    const asked = { ...PriceHistory.current(history), overrides }
    return Result.getOrThrow(PriceChange.revise(history, asked, { nowMs, hourlyDays: 100, hasCosts: true })).history
  }, PriceHistory.initial)

const later = at("14:00:00")
const cpuCost = (hour: Hour, name = "web") => amountOf(hour, name, "cpuCostNanos") / 1e9

/** A whole core of `web`, for as long as it is said. */
const oneCore = (from?: string, to?: string) =>
  facts({
    nodes: [node("node-1")],
    pods: [pod("web-1", { containers: [container({ cpuRequestMillis: 1_000, runs: [span(from, to)] })] })]
  })

describe("a price that changes within an hour", () => {
  const dearer = booksAt([at("10:40:00"), cpu(1.031611)])

  it("counts from its instant: what ended before pays the old one alone, what began after it the new one", () => {
    assert.strictEqual(cpuCost(HourPricing.fromFacts(dearer, oneCore("10:00:00", "10:38:00"))), 0.0200203)
    assert.strictEqual(cpuCost(HourPricing.fromFacts(dearer, oneCore("10:45:00", "11:00:00"))), 0.25790275)
    const whole = HourPricing.fromFacts(dearer, oneCore())
    assert.closeTo(cpuCost(whole), (0.031611 * 40 + 1.031611 * 20) / 60, 2e-9)
  })

  it("counts in the open hour for what was seen since, not for its share of the clock", () => {
    const open = { ...oneCore(), seen: [span("10:00:00", "10:41:00")] }
    assert.closeTo(cpuCost(HourPricing.fromFacts(dearer, open)), (0.031611 * 40 + 1.031611 * 1) / 60, 2e-9)
  })

  it("leaves all quantities as they are, and an hour of another cluster's price whole", () => {
    const one = oneCore("10:10:00", "10:50:00")
    const quantities = ({ columns, ...hour }: Hour) => [
      hour.series,
      ...Object.entries(columns).filter(([measure]) => !measure.endsWith("CostNanos"))
    ]
    assert.deepStrictEqual(quantities(HourPricing.fromFacts(dearer, one)), quantities(HourBuilder.build(one)))
    const elsewhere = booksAt([at("10:40:00"), cpu(9, { cluster: stage })])
    assert.deepStrictEqual(HourPricing.fromFacts(elsewhere, one), HourPricing.fromFacts(PriceHistory.initial, one))
  })

  it.prop(
    "makes workloads and idle come to what the nodes cost on either side of it",
    [Drawn, Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 3_599 }))],
    ([drawn, second]) => {
      const drawnFacts = factsOf(drawn)
      const one = { ...drawnFacts, pods: drawnFacts.pods.filter(({ node }) => node !== "node-3") }
      const changeMs = startMs + second * 1_000
      const hour = HourPricing.fromFacts(booksAt([changeMs, cpu(1)], [changeMs, cpu(7)]), one)
      const total = hour.series.reduce(
        (sum, series, place) =>
          isWorkload(series) || series.kind === IDLE ? sum + (hour.columns.cpuCostNanos[place] ?? 0) : sum,
        0
      )
      const secondsOf = (spans: typeof one.seen, from: number, to: number): number => {
        let count = 0
        for (let tick = from; tick < to; tick++) {
          const isIn = (list: typeof one.seen) =>
            list.some(
              ({ fromMs, toMs }) =>
                Math.floor((fromMs - startMs) / 1_000) <= tick && tick < Math.floor((toMs - startMs) / 1_000)
            )
          if (isIn(spans) && isIn(one.seen)) count++
        }
        return count
      }
      const expected = one.nodes.reduce((sum, { cpuMillis, labels, spans }) => {
        const before = Object.keys(labels).length === 0 ? 0.031611 : 0.006655
        const cores = cpuMillis / 1_000 / 3_600
        return sum + cores * (secondsOf(spans, 0, second) * before + secondsOf(spans, second, 3_600) * 7)
      }, 0)
      assert.closeTo(total / 1e9, expected, 1e-8)
    }
  )
})

describe("a price that is put for a moment in a closed hour", () => {
  const closed = (from?: string, to?: string, seen = [span()]) =>
    HourPricing.fromFacts(PriceHistory.initial, { ...oneCore(from, to), seen })
  const put = booksAt([later, cpu(1.031611, {}, { validFrom: "2026-03-08T10:40:00Z" })])

  it("counts by its share of the hour, where that was seen whole", () => {
    const early = HourPricing.again(put, closed("10:00:00", "10:30:00"))
    assert.closeTo(cpuCost(early), ((0.031611 * 2 + 1.031611) / 3) * 0.5, 2e-9)
  })

  it("counts by its share of what was seen of the hour", () => {
    const seen = [span("10:00:00", "10:20:00"), span("10:35:00", "10:50:00")]
    const hour = closed(undefined, undefined, seen)
    assert.deepStrictEqual(hour.seen, [0, 1_200, 2_100, 3_000])
    assert.closeTo(cpuCost(HourPricing.again(put, hour)), (0.031611 * 25 + 1.031611 * 10) / 60, 2e-9)
    const unseen = closed(undefined, undefined, [span("10:00:00", "10:40:00")])
    assert.strictEqual(cpuCost(HourPricing.again(put, unseen)), cpuCost(unseen))
  })

  it("counts by its share of the clock where an earlier version did not keep what was seen", () => {
    const { seen: _, ...hour } = closed(undefined, undefined, [span("10:00:00", "10:30:00")])
    assert.closeTo(cpuCost(HourPricing.again(put, hour)), ((0.031611 * 2 + 1.031611) / 3) * 0.5, 2e-9)
  })

  it("leaves the exact costs of an hour alone that it does not reach", () => {
    const history = booksAt([at("10:40:00"), cpu(1.031611)])
    const hour = HourPricing.fromFacts(history, oneCore("10:00:00", "10:38:00"))
    const books = [[at("10:40:00"), cpu(1.031611)]] as const
    const after = booksAt(...books, [later, cpu(1.031611), cpu(3, {}, { validFrom: "2026-03-08T11:00:00Z" })])
    assert.deepStrictEqual(HourPricing.again(after, hour), hour)
    const into = booksAt(...books, [later, cpu(1.031611), cpu(3, {}, { validFrom: "2026-03-08T10:50:00Z" })])
    assert.closeTo(cpuCost(HourPricing.again(into, hour)), ((0.031611 * 4 + 1.031611 + 3) / 6) * (38 / 60), 2e-9)
  })

  it("is known to have been put later, and where it changes anything", () => {
    const window = { startMs, endMs: startMs + HOUR_MS }
    const { cluster } = facts()
    assert.deepStrictEqual(PriceHistory.changesIn(put, cluster, window), [at("10:40:00")])
    assert.isTrue(PriceHistory.isRevised(put, window))
    const known = booksAt([at("10:40:00"), cpu(1.031611)])
    assert.isFalse(PriceHistory.isRevised(known, window))
    assert.deepStrictEqual(PriceHistory.changesIn(known, stage, window), [at("10:40:00")])
    const only = booksAt([at("10:40:00"), cpu(1, { cluster: stage })])
    assert.deepStrictEqual(PriceHistory.changesIn(only, cluster, window), [])
    assert.deepStrictEqual(PriceHistory.changesIn(only, stage, window), [at("10:40:00")])
  })
})
