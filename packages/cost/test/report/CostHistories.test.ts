import { assert, describe, it } from "@effect/vitest"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { NANOS_PER_UNIT, DAY_MS, HOUR_MS } from "../../src/hour/Units.ts"
import { CostHistories } from "../../src/report/CostHistories.ts"
import { CostStore } from "../../src/store/CostStore.ts"
import { HistoryStore } from "../../src/store/HistoryStore.ts"
import { layerMemory } from "../../src/store/Memory.ts"
import { layerSqlite } from "../../src/store/sqlite/Sqlite.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"
import { at, cost, prod } from "../store/samples.ts"
import { getAggregated, getWorkloads, asking, grouping, reporting, viewOf } from "./reporting.ts"

const DAWN = at("2026-03-02T00:00")

const inMemory = CostHistories.layer.pipe(Layer.provideMerge(layerMemory))

/** A cluster that a name leads to. */
interface Seen {
  readonly name: string
  readonly uid: string
  readonly isReadable: boolean
}

const settle = ({ isReadable, name, uid }: Seen, connection = `https://${uid}`) =>
  Effect.flatMap(CostHistories, (histories) =>
    Effect.map(
      histories.settle({ name: ClusterName.make(name), uid: isReadable ? uid : undefined, connection }, undefined),
      ({ holder }) => holder.key
    )
  )

const readable = (name: string, uid: string): Seen => ({ name, uid, isReadable: true })

/** Adds to the hour of a history, as a sampler that goes on with it does. */
const record = Effect.fnUntraced(function* (key: ClusterName, startMs: number, nanos: number, workload: string) {
  const store = yield* CostStore
  const [before] = yield* store.hours(key, { startMs, endMs: startMs + HOUR_MS })
  const place = before?.series.findIndex(({ name }) => name === workload) ?? -1
  const earlier = before === undefined || place < 0 ? 0 : (before.columns.cpuCostNanos[place] ?? 0)
  yield* store.rewrite([cost(startMs, workload, earlier + nanos, { cluster: key })])
})

const everything = { startMs: 0, endMs: DAWN + 400 * DAY_MS }
const namesNow = Effect.flatMap(CostHistories, ({ within }) =>
  Effect.map(within(everything), (found) => found.map(({ name }): string => name).toSorted())
)

describe("CostHistories", () => {
  it.effect("goes on under its name while the uid is the same, whatever the address", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(DAWN)
      assert.strictEqual(yield* settle(readable("prod", "u1"), "https://one"), prod)
      assert.strictEqual(yield* settle(readable("prod", "u1"), "https://two"), prod)
    }).pipe(Effect.provide(inMemory))
  )

  it.effect(
    "leaves the past to <name>@<day of its last figures> when the name gets another uid, and takes it up again",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(DAWN)
        const first = yield* settle(readable("prod", "u1"))
        yield* record(first, DAWN + 5 * HOUR_MS, 100, "web")
        yield* TestClock.setTime(DAWN + 20 * DAY_MS)
        const second = yield* settle(readable("prod", "u2"))
        assert.notStrictEqual(second, first)
        const histories = yield* CostHistories
        assert.strictEqual(histories.nameOf(first), "prod@2026-03-02")
        assert.strictEqual(histories.nameOf(second), "prod")
        assert.strictEqual(histories.keyOf(prod), second)
        yield* record(second, DAWN + 20 * DAY_MS, 7, "web")
        yield* TestClock.adjust("2 hours")
        assert.strictEqual(yield* settle(readable("prod", "u1")), first)
        assert.strictEqual(histories.nameOf(first), "prod")
        assert.strictEqual(histories.nameOf(second), "prod@2026-03-22")
      }).pipe(Effect.provide(inMemory))
  )

  it.effect(
    "goes on while server address and authority stay the same where the uid cannot be read, and no longer",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(DAWN)
        const unreadable = { name: "prod", uid: "u1", isReadable: false }
        const first = yield* settle(readable("prod", "u1"), "https://one")
        assert.strictEqual(yield* settle(unreadable, "https://one"), first)
        const second = yield* settle(unreadable, "https://two")
        assert.notStrictEqual(second, first)
        // The uid is read at last, and is that of the first.
        assert.strictEqual(yield* settle(readable("prod", "u1"), "https://two"), first)
      }).pipe(Effect.provide(inMemory))
  )

  it.effect("takes a history of an older program for that of the cluster which has its name", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(DAWN)
      yield* record(prod, DAWN, 100, "web")
      assert.strictEqual(yield* settle(readable("prod", "u9")), prod)
      assert.deepStrictEqual(yield* namesNow, ["prod"])
    }).pipe(Effect.provide(inMemory))
  )

  it.effect("keeps the book in the file of the history", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(DAWN)
      const directory = yield* temporaryDirectory
      const onDisk = () => CostHistories.layer.pipe(Layer.provideMerge(layerSqlite({ directory })), Layer.fresh)
      const key = yield* Effect.gen(function* () {
        yield* settle(readable("prod", "u1"))
        return yield* settle(readable("prod", "u2"))
      }).pipe(Effect.provide(onDisk()))
      yield* Effect.gen(function* () {
        const histories = yield* CostHistories
        assert.strictEqual(histories.keyOf(prod), key)
        assert.strictEqual(histories.nameOf(prod), "prod@2026-03-01")
        assert.strictEqual((yield* (yield* HistoryStore).all).length, 2)
      }).pipe(Effect.provide(onDisk()))
    })
  )

  const between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))
  const moves = Schema.Array(
    Schema.Struct({
      name: Schema.Literals(["prod", "stage"]),
      uid: Schema.Literals(["u1", "u2", "u3"]),
      isThere: Schema.Boolean,
      hours: between(0, 40),
      nanos: between(1, 1_000_000)
    })
  ).check(Schema.isMaxLength(40))

  it.effect.prop(
    "loses nothing, doubles nothing, and keeps each cluster's costs under one name, whenever clusters leave and join",
    [moves],
    ([drawn]) =>
      Effect.gen(function* () {
        let nowMs = DAWN
        let recorded = 0
        /** The cost of each cluster under each of its names. */
        const byCluster = new Map<string, number>()
        for (const { hours, isThere, nanos, name, uid } of drawn) {
          yield* TestClock.setTime(nowMs)
          if (isThere) {
            const key = yield* settle(readable(name, uid))
            // The workload's name says whose cost it is.
            yield* record(key, nowMs - (nowMs % HOUR_MS), nanos, `of-${name}-${uid}`)
            recorded += nanos
            byCluster.set(`of-${name}-${uid}`, (byCluster.get(`of-${name}-${uid}`) ?? 0) + nanos)
          }
          nowMs += hours * (HOUR_MS / 2)
        }
        yield* TestClock.setTime(nowMs + 2 * HOUR_MS)
        const histories = yield* CostHistories
        const found = yield* histories.within(everything)
        const names = found.map(({ name }): HistoryName => name)
        assert.strictEqual(new Set(names).size, names.length, "a name has one history")
        const query = {
          target: { mode: "All", clusters: names },
          range: { from: String(DAWN), to: String(nowMs + HOUR_MS) },
          view: (name: HistoryName) => viewOf(name, { status: "retired" })
        } as const
        const report = yield* getWorkloads(asking(query))
        const rounded = (units: number) => Math.round(units * NANOS_PER_UNIT)
        assert.strictEqual(rounded(report.totals.totalCost), recorded)
        assert.isFalse(report.partial)
        const grouped = yield* getAggregated(grouping(["cluster"], query))
        const sums = "rows" in grouped ? grouped.rows.map(({ totalCost }) => rounded(totalCost)) : []
        assert.strictEqual(
          sums.reduce((sum, one) => sum + one, 0),
          recorded
        )
        for (const [workload, nanos] of byCluster) {
          const rows = report.aggregatedWorkloads.filter(({ workloadName }) => workloadName === workload)
          assert.deepStrictEqual(
            rows.map(({ totalCost }) => rounded(totalCost)),
            [nanos],
            workload
          )
        }
        for (const name of names) {
          const own = report.aggregatedWorkloads.filter(({ cluster }) => cluster === name)
          assert.strictEqual(own.length, 1, `${name} is of one cluster`)
          assert.include(own[0]?.workloadName ?? "", `of-${name.split("@")[0]}-`, "no history moves to another name")
        }
      }).pipe(Effect.provide(CostHistories.layer.pipe(Layer.provideMerge(reporting()), Layer.fresh))),
    { arbitrary: { runs: 60 } }
  )
})
