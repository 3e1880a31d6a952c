import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Latch, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { CostReport, Retention } from "../../src/report/CostReport.ts"
import { OpenHours } from "../../src/report/OpenHours.ts"
import { CostStore } from "../../src/store/CostStore.ts"
import type { Hour } from "../../src/hour/Hour.ts"
import { IDLE, MANAGEMENT } from "../../src/hour/Series.ts"
import { DAY_MS, HOUR_MS, HOUR_SECONDS } from "../../src/hour/Units.ts"
import { repriceBy } from "../../src/price/HourCosts.ts"
import * as PriceBook from "../../src/price/PriceBook.ts"
import { Prices } from "../../src/price/Prices.ts"
import { bookOf, cpu, onDemand } from "../price/samples.ts"
import { hour, prod, series, stage } from "../store/samples.ts"
import { asking, getWorkloads, monday, reporting, reportingWith } from "./reporting.ts"

const CORE = 1_000 * HOUR_SECONDS
const limits = { hourlyDays: 100, hasCosts: true }

/** An hour of two workloads, of what their node has idle, and of a control plane. */
const used = (startMs: number, cores: number, cluster = prod): Hour =>
  hour(
    startMs,
    [
      [
        series("api"),
        { cpuAllocatedMilliSeconds: cores * CORE, replicaSeconds: HOUR_SECONDS, existedSeconds: HOUR_SECONDS }
      ],
      [series("db"), { memoryAllocatedKibSeconds: 1_048_576 * HOUR_SECONDS, existedSeconds: HOUR_SECONDS }],
      [
        { ...series("node-1"), namespace: "", kind: IDLE, uid: "", labels: {} },
        { cpuAllocatedMilliSeconds: CORE, existedSeconds: HOUR_SECONDS }
      ],
      [{ ...series(""), namespace: "", kind: MANAGEMENT, uid: "", labels: {} }, { existedSeconds: HOUR_SECONDS }]
    ],
    { cluster, rates: [onDemand], rateOf: Int32Array.from([0, 0, 0, -1]) }
  )

const charged = (book: PriceBook.PriceBook, hours: ReadonlyArray<Hour>) =>
  hours.map((one) => repriceBy([{ sinceMs: 0, book }], one))

const nowMs = monday + 8 * DAY_MS

/** A week of every hour in two clusters, charged by a book. */
const aWeek = (book = PriceBook.initial) =>
  [prod, stage].flatMap((cluster) =>
    charged(
      book,
      Array.from({ length: 7 * 24 }, (_, index) => used(nowMs - (index + 1) * HOUR_MS, (index % 5) + 1, cluster))
    )
  )

const keeping = Effect.fnUntraced(function* (hours: ReadonlyArray<Hour>) {
  yield* (yield* CostStore).rewrite(hours)
  yield* TestClock.setTime(nowMs)
})

const preview = (book: PriceBook.PriceBook, clusters = [prod, stage]) =>
  CostReport.use((report) => report.previewPrices({ book, clusters, limits }))

const reported = Effect.map(
  getWorkloads(asking({ target: { mode: "All", clusters: [prod, stage] } })),
  ({ totals }) => totals
)

layer(reporting())("what the last seven days would cost by another book", (it) => {
  it.effect("begins with what the reports say, and ends with what they would have said", () =>
    Effect.gen(function* () {
      const dearer = bookOf(
        cpu(0.5),
        { resource: "cluster", match: {}, clusterPerHour: 1 },
        { resource: "node", match: { cluster: stage }, memoryPerGiBHour: 0.25 }
      )
      yield* keeping(aWeek())
      const { after, before } = yield* preview(dearer)
      const { idleCost, ...totals } = before
      assert.deepStrictEqual(totals, yield* reported)
      assert.closeTo(idleCost, 2 * 168 * (0.1 + 0.031611), 1e-9)

      assert.deepStrictEqual(yield* (yield* Prices).history, [{ sinceMs: 0, book: PriceBook.initial }])
      yield* keeping(aWeek(dearer))
      const { idleCost: idleAfter, ...totalsAfter } = after
      assert.deepStrictEqual(totalsAfter, yield* reported)
      assert.closeTo(idleAfter, 2 * 168 * (1 + 0.5), 1e-9)
      yield* keeping(aWeek())
    })
  )

  it.effect.each([0, 0.1, 2])(
    "is nothing for the present book, and twice for twice the rate, though a core was charged %d; hours stay as they are",
    (price) =>
      Effect.gen(function* () {
        const asCharged = aWeek(bookOf(cpu(price)))
        yield* keeping(asCharged)
        const same = yield* preview(PriceBook.initial)
        assert.deepStrictEqual(same.after, same.before)
        const { after, before } = yield* preview({ ...PriceBook.initial, rate: 2 })
        assert.closeTo(after.totalCost, 2 * before.totalCost, 1e-6)
        assert.closeTo(after.idleCost, 2 * before.idleCost, 1e-6)
        const [kept] = yield* (yield* CostStore).hours(prod, { startMs: nowMs - HOUR_MS, endMs: nowMs })
        assert.deepStrictEqual(kept?.columns, asCharged[0]?.columns)
      })
  )

  it.effect("counts an override from its instant on", () =>
    Effect.gen(function* () {
      yield* keeping(aWeek())
      const validFrom = new Date(nowMs - 10 * HOUR_MS).toISOString()
      const { after, before } = yield* preview(bookOf(cpu(1.031611, {}, { validFrom })), [prod])
      // The last ten hours have 1 to 5 cores, twice.
      assert.closeTo(after.cpuCost - before.cpuCost, 30, 1e-6)
      const { after: later } = yield* preview(bookOf(cpu(9, {}, { validFrom: new Date(nowMs + 1).toISOString() })), [
        prod
      ])
      assert.strictEqual(later.cpuCost, before.cpuCost)
    })
  )

  it.effect.each<[string, PriceBook.PriceBook, object]>([
    ["another version", { ...PriceBook.initial, version: 7 }, { _tag: "StalePriceBook", version: 1 }],
    ["another currency", { ...PriceBook.initial, currency: "EUR" }, { _tag: "InvalidPriceBook", field: "currency" }],
    [
      "a price that counts as 0",
      bookOf({ resource: "storage", match: {}, storagePerGiBHour: 1e-14 }),
      { _tag: "InvalidPriceBook", field: "overrides[0].storagePerGiBHour" }
    ],
    [
      "an instant of which hours are forgotten",
      bookOf(cpu(1, {}, { validFrom: "2020-01-01T00:00:00Z" })),
      { _tag: "InvalidPriceBook", field: "overrides[0].validFrom" }
    ]
  ])("is refused for %s, as the book itself would be", ([, book, expected]) =>
    Effect.gen(function* () {
      yield* keeping(aWeek())
      assert.deepInclude(yield* Effect.flip(preview(book)), expected)
    })
  )

  it.effect("is of no clusters, and of one that nothing is kept of, nothing", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(nowMs)
      const { after, before } = yield* preview(bookOf(cpu(1)), [])
      assert.deepStrictEqual([before.totalCost, before.idleCost, after.totalCost, after.idleCost], [0, 0, 0, 0])
    })
  )
})

const open: { hour: Hour | undefined } = { hour: undefined }
const openHours = Layer.succeed(
  OpenHours,
  OpenHours.of({
    open: (cluster) => Effect.succeed(Option.fromNullishOr(cluster === prod ? open.hour : undefined))
  })
)

layer(reportingWith(openHours))("what an hour that goes on would cost by another book", (it) => {
  it.effect("is in it, once, whatever the store has of it", () =>
    Effect.gen(function* () {
      const closed = charged(PriceBook.initial, [used(nowMs - HOUR_MS, 1), used(nowMs, 4)])
      open.hour = charged(PriceBook.initial, [used(nowMs, 2)])[0]
      yield* (yield* CostStore).rewrite(closed)
      yield* TestClock.setTime(nowMs + 1_000)
      const { after, before } = yield* preview(bookOf(cpu(1)), [prod])
      assert.closeTo(before.cpuCost, 3 * 0.031611, 1e-9)
      assert.closeTo(after.cpuCost, 3, 1e-9)
      const { totals } = yield* getWorkloads(asking())
      assert.strictEqual(before.totalCost, totals.totalCost)
    })
  )
})

const gate = Latch.makeUnsafe(false)
const heldHours = Layer.succeed(OpenHours, OpenHours.of({ open: () => Effect.as(gate.await, Option.none()) }))

layer(reportingWith(heldHours))("previews that wait for their turn", (it) => {
  it.effect("are four at most, and a book that is refused waits for none", () =>
    Effect.gen(function* () {
      yield* keeping(aWeek())
      const dearer = bookOf(cpu(1))
      const waiting = yield* Effect.forEach(Array(4).keys(), () =>
        Effect.forkChild(preview(dearer), { startImmediately: true })
      )
      assert.strictEqual(
        (yield* Effect.flip(preview(dearer))).message,
        "4 price previews are running or waiting, which is the maximum; try again in a moment"
      )
      assert.strictEqual((yield* Effect.flip(preview({ ...dearer, version: 9 })))._tag, "StalePriceBook")
      yield* gate.open
      for (const fiber of waiting) assert.isAbove((yield* Fiber.join(fiber)).after.cpuCost, 0)
      assert.isAbove((yield* preview(dearer)).after.cpuCost, 0)
    })
  )
})

layer(reporting())("of days whose hours were forgotten", (it) => {
  it.effect("keeps what they cost in both", () =>
    Effect.gen(function* () {
      yield* keeping(aWeek())
      yield* (yield* CostStore).prune({ hoursBeforeMs: nowMs - 2 * DAY_MS, daysBeforeMs: 0 })
      const { after, before } = yield* preview(bookOf(cpu(1.031611)), [prod])
      const { totals } = yield* getWorkloads(asking())
      assert.strictEqual(before.totalCost, totals.totalCost)
      const cores = Array.from({ length: 48 }, (_, index) => (index % 5) + 1).reduce((sum, one) => sum + one, 0)
      assert.closeTo(after.cpuCost - before.cpuCost, cores, 1e-6)
    }).pipe(Effect.provideService(Retention, { hourlyDays: 2, retentionDays: 400 }))
  )
})
