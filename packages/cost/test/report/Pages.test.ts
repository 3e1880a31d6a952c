import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { CostStore } from "../../src/store/CostStore.ts"
import type { Hour } from "../../src/hour/Hour.ts"
import { OpenHours } from "../../src/report/OpenHours.ts"
import { HOUR_MS } from "../../src/hour/Units.ts"
import { days, hour, series } from "../store/samples.ts"
import { asking, closing, getAggregated, getWorkloads, grouping, monday, reportingWith } from "./reporting.ts"

const now = monday + HOUR_MS
const cost = (startMs: number, costs: Readonly<Record<string, number>>): Hour =>
  hour(
    startMs,
    Object.entries(costs).map(([name, cpuCostNanos]) => [series(name), { cpuCostNanos, existedSeconds: 60 }])
  )

/** The cost of workloads in the closed hour, and in each minute of the open one. */
const closed = { a: 100, b: 90, c: 50, d: 40 }
const perMinute = { a: 0, b: 5, c: 0, d: 2, e: 30 }

/** An open hour that grows by the clock, a minute at a time. */
const growing = () => {
  let minutes = 1
  let startMs = now
  const open = () =>
    cost(startMs, Object.fromEntries(Object.entries(perMinute).map(([name, each]) => [name, each * minutes])))
  return {
    layer: reportingWith(
      Layer.succeed(OpenHours, OpenHours.of({ open: () => Effect.sync(() => Option.some(open())) }))
    ),
    pass: (more: number) =>
      Effect.suspend(() => {
        minutes += more
        return TestClock.adjust(more * 60_000)
      }),
    /** Ends the hour, and begins the next. */
    close: Effect.gen(function* () {
      const store = yield* CostStore
      const whole = open()
      startMs += HOUR_MS
      minutes = 1
      yield* TestClock.setTime(startMs + 60_000)
      yield* store.close(whole)
    })
  }
}

/** Reads all pages, with something between every two. */
const readAll = <Reply extends { readonly nextCursor?: string }, E, R, E2, R2>(
  ask: (page: { readonly limit: number; readonly cursor?: string }) => Effect.Effect<Reply, E, R>,
  namesOf: (reply: Reply) => ReadonlyArray<string>,
  between: Effect.Effect<void, E2, R2>,
  limit = 1
) =>
  Effect.gen(function* () {
    const pages: Array<ReadonlyArray<string>> = []
    let cursor: string | undefined
    do {
      const reply: Reply = yield* ask({ limit, ...(cursor === undefined ? {} : { cursor }) })
      pages.push(namesOf(reply))
      cursor = reply.nextCursor
      if (cursor !== undefined) yield* between
    } while (cursor !== undefined)
    return pages
  })

const workloads = (between: Effect.Effect<void, unknown, CostStore>, limit?: number) =>
  readAll(
    (page) => getWorkloads(asking({ page })),
    (reply) => reply.aggregatedWorkloads.map(({ workloadName }) => workloadName),
    between,
    limit
  )

const groups = (idle: "hide" | "show" | "share", between: Effect.Effect<void, unknown, CostStore>, limit?: number) =>
  readAll(
    (page) => getAggregated(grouping(["workload"], { page, idle })),
    (reply) => ("rows" in reply ? reply.rows : []).map(({ group }) => group["workload"] ?? ""),
    between,
    limit
  )

describe("pages of a report that goes on", () => {
  it.effect("have every workload once, though those that are still to come cost more with every minute", () => {
    const { layer, pass } = growing()
    return Effect.gen(function* () {
      yield* closing([cost(monday, closed)], now + 60_000)
      assert.deepStrictEqual(yield* workloads(pass(3)), [["a"], ["b"], ["c"], ["d"], ["e"]])
    }).pipe(Effect.provide(layer), Effect.scoped)
  })

  it.effect("have every workload once, though an hour ends between two of them and the range moves on", () => {
    const { close, layer } = growing()
    return Effect.gen(function* () {
      // The oldest hour, which leaves the range first, makes one of them the dearest.
      yield* closing([cost(now - days(7), { c: 1_000, a: 1 }), cost(monday, closed)], now + 60_000)
      assert.deepStrictEqual(yield* workloads(close), [["c"], ["a"], ["b"], ["d"], ["e"]])
    }).pipe(Effect.provide(layer), Effect.scoped)
  })

  it.effect("have every group once", () =>
    Effect.gen(function* () {
      for (const idle of ["hide", "show", "share"] as const) {
        for (const what of ["pass", "close"] as const) {
          const { close, layer, pass } = growing()
          const pages = yield* Effect.gen(function* () {
            yield* closing([cost(monday, closed)], now + 60_000)
            return yield* groups(idle, what === "pass" ? pass(3) : close)
          }).pipe(Effect.provide(layer), Effect.scoped)
          assert.deepStrictEqual(pages, [["a"], ["b"], ["c"], ["d"], ["e"]], `${idle} ${what}`)
        }
      }
    })
  )

  it.effect("have the dearest of a page first, by all that the page tells", () => {
    const { layer, pass } = growing()
    return Effect.gen(function* () {
      yield* closing([cost(monday, closed)], now + 60_000)
      yield* pass(9)
      assert.deepStrictEqual(yield* workloads(Effect.void, 9), [["e", "b", "a", "d", "c"]])
      assert.deepStrictEqual(yield* workloads(Effect.void, 4), [["b", "a", "d", "c"], ["e"]])
      assert.deepStrictEqual(yield* groups("hide", Effect.void, 4), [["b", "a", "d", "c"], ["e"]])
    }).pipe(Effect.provide(layer), Effect.scoped)
  })

  it.effect("are ranked by the open hour where no other is asked for", () => {
    const { layer } = growing()
    return Effect.gen(function* () {
      yield* closing([cost(monday, closed)], now + 60_000)
      const asked = asking({ range: { from: "2026-03-02T01:00:00Z", to: "2026-03-02T02:00:00Z" } })
      const first = yield* getWorkloads({ ...asked, page: { limit: 2 } })
      const second = yield* getWorkloads({ ...asked, page: { limit: 2, cursor: first.nextCursor ?? "" } })
      assert.deepStrictEqual(
        [...first.aggregatedWorkloads, ...second.aggregatedWorkloads].map(({ workloadName }) => workloadName),
        ["e", "b", "d", "a"]
      )
    }).pipe(Effect.provide(layer), Effect.scoped)
  })
})
