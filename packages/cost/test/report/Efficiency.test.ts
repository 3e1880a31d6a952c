import { assert, describe, it } from "@effect/vitest"
import { everyNamespace } from "@quarterdeck/targeting/NamespaceFilter"
import { Effect, Schema, Stream } from "effect"
import type { ContainerFacts, HourFacts } from "../../src/allocation/HourFacts.ts"
import { build } from "../../src/allocation/HourBuilder.ts"
import type { Hour } from "../../src/hour/Hour.ts"
import { reprice } from "../../src/price/HourCosts.ts"
import * as PriceHistory from "../../src/price/PriceHistory.ts"
import { GIB_BYTES, HOUR_MS } from "../../src/hour/Units.ts"
import * as CostCsv from "../../src/report/CostCsv.ts"
import * as Focus from "../../src/report/Focus.ts"
import { container, facts, node, pod, prod, steady } from "../allocation/facts.ts"
import {
  allWorkloads,
  asking,
  closing,
  explain,
  getAggregated,
  getWorkloads,
  grouping,
  reporting,
  viewOf
} from "./reporting.ts"

/** The same facts, some hours later. */
const later = (one: HourFacts, hours: number): HourFacts => {
  const ms = hours * HOUR_MS
  const moved = (spans: HourFacts["seen"]) =>
    spans.map(({ fromMs, toMs }) => ({ fromMs: fromMs + ms, toMs: toMs + ms }))
  return {
    ...one,
    startMs: one.startMs + ms,
    seen: moved(one.seen),
    nodes: one.nodes.map((node) => ({ ...node, spans: moved(node.spans) })),
    pods: one.pods.map((pod) => ({
      ...pod,
      containers: pod.containers.map((container) => ({
        ...container,
        runs: moved(container.runs),
        ...(container.usage === undefined
          ? {}
          : {
              usage: {
                ...container.usage,
                fromMs: Array.from(container.usage.fromMs, (from) => from + ms),
                toMs: Array.from(container.usage.toMs, (to) => to + ms)
              }
            })
      }))
    }))
  }
}

const half = container({ usage: steady(250, GIB_BYTES / 2) })
const unknown = container()

/** An hour with replicas of one Deployment. */
const replicas = (count: number, containers: ReadonlyArray<ContainerFacts>) =>
  facts({
    nodes: [node("node-1", { cpuMillis: 100_000, memoryBytes: 200 * GIB_BYTES })],
    pods: Array.from({ length: count }, (_, index) => pod(`api-${index}`, { containers }))
  })

const history = PriceHistory.ratesOver(PriceHistory.initial)
const priced = (hour: Hour): Hour =>
  reprice(hour, (subject) => history(subject, { startMs: hour.startMs, endMs: hour.startMs + HOUR_MS }))

/** Closes hours one after the other and reports them. */
const reportOf = (hours: ReadonlyArray<HourFacts>) =>
  Effect.gen(function* () {
    yield* closing(hours.map((one, index) => priced(build(later(one, index)))))
    return yield* getWorkloads(asking())
  })

/** The reports as files, cell by cell. */
const files = Effect.gen(function* () {
  const report = yield* allWorkloads(asking())
  const cellsOf = <E>(text: Stream.Stream<string, E>) =>
    Effect.map(Stream.mkString(text), (whole) =>
      whole
        .trimEnd()
        .split("\r\n")
        .map((line) => line.split(","))
    )
  return {
    table: yield* cellsOf(CostCsv.workloads(report)),
    focus: yield* cellsOf(Focus.workloads({ currency: report.currency, rows: report.billed }))
  }
})

describe("efficiency", () => {
  it.effect.each([
    { name: "first", isFirst: true },
    { name: "last", isFirst: false }
  ])("is that of the hours with usage, which come $name, whatever ran in those without", ({ isFirst }) =>
    Effect.gen(function* () {
      const hours = Array.from({ length: 24 }, (_, index) => index < 12 === isFirst)
      const known = hours.map((isKnown) => replicas(isKnown ? 100 : 10, [isKnown ? half : unknown]))
      const { aggregatedWorkloads, totals } = yield* reportOf(known)
      for (const row of [...aggregatedWorkloads, totals]) {
        assert.deepStrictEqual([row.cpuEfficiency, row.memoryEfficiency], [0.5, 0.5])
        assert.closeTo(row.efficiency ?? Number.NaN, 0.5, 1e-12)
        assert.deepStrictEqual([row.cpuRequestedCoreHours, row.cpuUsedCoreHours], [600, 300])
        assert.strictEqual(row.memoryRequestedByteHours, 1_200 * GIB_BYTES)
      }
      const { focus } = yield* files
      assert.deepStrictEqual(
        focus.map((cells) => cells.slice(-2)),
        [
          ["x_RequestedQuantity", "x_UsedQuantity"],
          ["600", "300"],
          ["1200", "600"]
        ]
      )
      // Few replicas make it as much as many: it was 0.909 before, and the other way round 0.091.
      const few = yield* reportOf(hours.map((isKnown) => replicas(isKnown ? 10 : 100, [isKnown ? half : unknown])))
      assert.strictEqual(few.totals.cpuEfficiency, 0.5)
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("is that of the containers whose usage is known: a sidecar without makes no half a whole", () =>
    Effect.gen(function* () {
      const { totals } = yield* reportOf([replicas(1, [half, { ...unknown, name: "proxy", role: "sidecar" }])])
      assert.deepStrictEqual([totals.cpuEfficiency, totals.memoryEfficiency], [0.5, 0.5])
      assert.deepStrictEqual([totals.cpuRequestedCoreHours, totals.cpuUsedCoreHours], [0.5, 0.25])
    }).pipe(Effect.provide(reporting()))
  )

  it.effect("is null where no usage is known, in rows, totals and groups, and an empty field in files", () =>
    Effect.gen(function* () {
      const { aggregatedWorkloads, totals } = yield* reportOf([replicas(2, [unknown])])
      const grouped = yield* getAggregated(grouping(["namespace"], { idle: "show" }))
      const groups = "rows" in grouped ? grouped.rows : []
      assert.strictEqual(groups.length, 3)
      for (const row of [...aggregatedWorkloads, totals, grouped.totals, ...groups]) {
        assert.deepStrictEqual([row.cpuEfficiency, row.memoryEfficiency, row.efficiency], [null, null, null])
        assert.deepStrictEqual([row.cpuRequestedCoreHours, row.cpuUsedCoreHours], [0, 0])
      }
      const { focus, table } = yield* files
      const [names = [], record = []] = table
      assert.strictEqual(record[names.indexOf("efficiency")], "")
      assert.deepStrictEqual(
        focus.slice(1).map((cells) => cells.slice(-2)),
        [
          ["", ""],
          ["", ""]
        ]
      )
    }).pipe(Effect.provide(reporting()))
  )

  it.effect.prop(
    "comes from sums that add up: those of an explanation's hours are the row's, and those of rows the totals'",
    [Schema.Array(Schema.Boolean).check(Schema.isMinLength(1), Schema.isMaxLength(5))],
    ([hours]) =>
      Effect.gen(function* () {
        const { aggregatedWorkloads, totals } = yield* reportOf(
          hours.map((isKnown, index) => replicas(index + 1, [isKnown ? half : unknown]))
        )
        const [row] = aggregatedWorkloads
        assert(row !== undefined)
        const explanation = yield* explain({
          cluster: prod,
          id: row.id,
          range: { range: "7d" },
          namespaces: everyNamespace,
          view: (name) => viewOf(name)
        })
        for (const sum of [
          "cpuRequestedCoreHours",
          "cpuUsedCoreHours",
          "memoryRequestedByteHours",
          "memoryUsedByteHours"
        ] as const) {
          const all = explanation.hours.reduce((all, { quantities }) => all + quantities[sum], 0)
          assert.closeTo(all, row[sum], 1e-6 * (1 + row[sum]))
          assert.strictEqual(totals[sum], row[sum])
        }
      }).pipe(Effect.provide(reporting())),
    { arbitrary: { runs: 20 } }
  )
})
