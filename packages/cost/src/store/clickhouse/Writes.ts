/**
 * Closes and rewrites hours.
 *
 * The rows of an hour are written first, under a new generation that no query counts. One commit to the ledger then makes all
 * hours of the call count, in place of those that they replace.
 */
import { Effect, Semaphore } from "effect"
import { CostError, HourClosed, HourForgotten } from "../../hour/CostError.ts"
import type { Hour } from "../../hour/Hour.ts"
import type { Series } from "../../hour/Series.ts"
import { dayOf } from "../../hour/Units.ts"
import { type Client, unavailable } from "./Client.ts"
import * as HourRows from "./HourRows.ts"
import { type Entry, generation, type CommitLog } from "./CommitLog.ts"

const CLOSE = "close an hour"
const REWRITE = "rewrite hours"

export const make = Effect.fnUntraced(function* (client: Client, ledger: CommitLog) {
  /** Writes run in the order of calls: the first of two closings of one hour wins. */
  const turn = yield* Semaphore.make(1)
  const known = new WeakMap<Series, string>()

  const checked = (action: string, hours: ReadonlyArray<Hour>) =>
    Effect.gen(function* () {
      for (const hour of hours) {
        const problem = HourRows.problemOf(hour)
        if (problem !== undefined) return yield* unavailable(action, new Error(problem))
        yield* Effect.yieldNow
      }
    })

  const writeRows = Effect.fnUntraced(function* (action: string, hours: ReadonlyArray<Hour>) {
    const written: Array<HourRows.Written> = []
    for (const hour of hours) {
      written.push({ hour, generation: generation(), ids: yield* HourRows.idsOf(hour.series, known) })
    }
    yield* Effect.all(
      [
        client.insert({
          action,
          table: "series",
          columns: HourRows.SERIES_COLUMNS,
          rows: HourRows.seriesRows(written)
        }),
        client.insert({ action, table: "hours", columns: HourRows.HOUR_COLUMNS, rows: HourRows.hourRows(written) }),
        client.insert({
          action,
          table: "charges",
          columns: HourRows.CHARGES_COLUMNS,
          rows: HourRows.chargesRows(written)
        })
      ],
      { concurrency: "unbounded", discard: true }
    )
    return written.map(({ generation, hour }): Entry => {
      const { cluster, knownSeconds, series, startMs } = hour
      return { cluster, span: "hour", startMs, state: "closed", generation, size: series.length, knownSeconds }
    })
  })

  /**
   * Fails for an hour of a day that is kept only as a daily total. If `isClosing`, also fails for an hour that is
   * closed.
   */
  const admit = Effect.fnUntraced(function* (
    action: string,
    hours: ReadonlyArray<Hour>,
    last: number,
    isClosing: boolean
  ) {
    const standing = yield* ledger.standing({
      action,
      last,
      clusters: [...new Set(hours.map(({ cluster }) => cluster))],
      starts: [...new Set(hours.flatMap(({ startMs }) => [dayOf(startMs), ...(isClosing ? [startMs] : [])]))]
    })
    for (const { cluster, startMs } of hours) {
      const hour = standing("hour", cluster, startMs)
      if (isClosing && (hour === "closed" || hour === "folded")) {
        return yield* new CostError({ reason: new HourClosed({ cluster, startMs }) })
      }
      if (standing("day", cluster, dayOf(startMs)) === "folded") {
        return yield* new CostError({ reason: new HourForgotten({ cluster, startMs }) })
      }
    }
  })

  const write = (action: string, hours: ReadonlyArray<Hour>, isClosing: boolean) =>
    Effect.gen(function* () {
      yield* checked(action, hours)
      const last = yield* ledger.last(action)
      // Refuses before the rows are written.
      yield* admit(action, hours, last, isClosing)
      const entries = yield* writeRows(action, hours)
      const prepare = (later: number) => Effect.as(admit(action, hours, later, isClosing), entries)
      yield* ledger.commit(action, prepare, { last, entries })
    }).pipe((run) => turn.withPermit(run))

  return {
    close: (hour: Hour) => write(CLOSE, [hour], true),
    rewrite: (hours: ReadonlyArray<Hour>) => {
      // The later of two hours with one start counts.
      const distinct = [...new Map(hours.map((hour) => [`${hour.startMs} ${hour.cluster}`, hour])).values()]
      return distinct.length === 0 ? Effect.void : write(REWRITE, distinct, false)
    }
  }
})
