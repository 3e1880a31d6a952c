/**
 * The time range of a report: a length that ends now, or two instants.
 */
import { Result, Schema } from "effect"
import { parseRfc3339 } from "../hour/Instant.ts"
import { DAY_MS, HOUR_MS, dayOf, hourOf } from "../hour/Units.ts"
import type { Window } from "../hour/Window.ts"

const LENGTH = /^([1-9][0-9]{0,3})([hdw])$/
const UNIT_MS = { h: HOUR_MS, d: DAY_MS, w: 7 * DAY_MS }

const EPOCH_MS = /^(?:0|[1-9][0-9]{0,14})$/

/** Last instant with a four-digit year, as RFC 3339 requires. */
const LAST_MS = Date.parse("9999-12-31T23:59:59.999Z")

/** Parses decimal milliseconds since the epoch, or an RFC 3339 instant. */
export const parseInstant = (text: string): number | undefined => {
  if (!EPOCH_MS.test(text)) return parseRfc3339(text)
  const ms = Number(text)
  return ms <= LAST_MS ? ms : undefined
}

/** Default range, used if `range`, `from` and `to` are absent. */
export const DEFAULT_RANGE = "7d"

/** Default retention of hourly costs, and of daily costs. **Units** days. */
export const DEFAULT_HOURLY_DAYS = 100
export const DEFAULT_RETENTION_DAYS = 400

/**
 * The query parameters of a range.
 *
 * **Shape** `range` = `^[1-9][0-9]{0,3}[hdw]$`, or `from` with an optional `to`, each in epoch milliseconds or RFC 3339.
 */
export const RangeQuery = Schema.Struct({
  range: Schema.optionalKey(Schema.String),
  from: Schema.optionalKey(Schema.String),
  to: Schema.optionalKey(Schema.String)
})
export type RangeQuery = typeof RangeQuery.Type

/**
 * A parsed range.
 *
 * **Shape** `fromMs` to `toMs` as requested, to the millisecond; `toMs` is at most `nowMs`, the time of parsing. `asked` holds
 * the original text, to which cursors are bound.
 */
export interface Range {
  readonly asked: RangeQuery
  readonly fromMs: number
  readonly toMs: number
  readonly nowMs: number
}

export interface RangeLimits {
  readonly nowMs: number
  readonly retentionDays: number
}

/**
 * A range widened to whole hours, or to whole days where only days are stored.
 *
 * **Shape** `hours` is the window to sum. `endMs` is its end, or now if its last hour is still open. `isInDays` is true if an
 * end was moved to a day boundary.
 */
export interface ResolvedRange {
  readonly hours: Window
  readonly endMs: number
  readonly isInDays: boolean
}

/**
 * The range is invalid.
 *
 * **Shape** `oldestMs` is the earliest whole hour that is accepted now and for at least one more hour.
 */
export class InvalidRange extends Schema.TaggedError<InvalidRange>()("InvalidRange", {
  field: Schema.Literals(["range", "from", "to"]),
  problem: Schema.Literals(["syntax", "instant", "both", "fromMissing", "empty", "future", "tooOld"]),
  retentionDays: Schema.Int,
  oldestMs: Schema.Int
}) {
  override get message(): string {
    const tail =
      this.problem === "tooOld"
        ? `: costs are stored for ${this.retentionDays} days, so ${new Date(this.oldestMs).toISOString()} is the earliest`
        : ""
    return `${this.field}: ${EXPLANATION[this.problem]}${tail}`
  }
}

const EXPLANATION: Record<InvalidRange["problem"], string> = {
  syntax: "must be a number from 1 to 9999 and a unit: h (hours), d (days) or w (weeks), such as 7d",
  instant: "must be milliseconds since 1970 or an RFC 3339 instant such as 2026-01-31T12:00:00Z",
  both: "cannot be combined with from or to; use range alone, or from and to",
  fromMissing: "requires from",
  empty: "must be after from",
  future: "must be in the past",
  tooOld: "starts before the oldest stored costs"
}

/**
 * Parses a range.
 *
 * A length ends now; `d` is 24 hours and `w` seven days. Without `to`, or with a `to` in the future, the range ends now.
 *
 * **Errors** `InvalidRange` with the invalid field: wrong syntax, `range` with `from` or `to`, an empty or reversed window, a
 * start before the oldest stored costs.
 *
 * **Example**
 *
 * ```ts
 * parse({ range: "7d" }, { nowMs: Date.parse("2026-03-08T10:20:00Z"), retentionDays: 400 })
 * // 2026-03-01T10:20Z to 2026-03-08T10:20Z
 * ```
 */
export const parse = (asked: RangeQuery, { nowMs, retentionDays }: RangeLimits): Result.Result<Range, InvalidRange> => {
  const keptMs = nowMs - retentionDays * DAY_MS
  const oldestMs = hourOf(keptMs) + HOUR_MS
  const refuse = (field: InvalidRange["field"], problem: InvalidRange["problem"]) =>
    Result.fail(new InvalidRange({ field, problem, retentionDays, oldestMs }))

  if (asked.from === undefined && asked.to === undefined) {
    const length = lengthMs(asked.range ?? DEFAULT_RANGE)
    if (length === undefined) return refuse("range", "syntax")
    if (nowMs - length < keptMs) return refuse("range", "tooOld")
    return Result.succeed({ asked, fromMs: nowMs - length, toMs: nowMs, nowMs })
  }

  if (asked.range !== undefined) return refuse("range", "both")
  if (asked.from === undefined) return refuse("to", "fromMissing")
  const fromMs = parseInstant(asked.from)
  if (fromMs === undefined) return refuse("from", "instant")
  const toMs = asked.to === undefined ? nowMs : parseInstant(asked.to)
  if (toMs === undefined) return refuse("to", "instant")
  if (asked.to !== undefined && toMs <= fromMs) return refuse("to", "empty")
  if (fromMs >= nowMs) return refuse("from", "future")
  if (fromMs < hourOf(keptMs)) return refuse("from", "tooOld")
  return Result.succeed({ asked, fromMs, toMs: Math.min(toMs, nowMs), nowMs })
}

/** Widens a range to whole UTC hours. */
export const hoursOf = ({ fromMs, toMs }: Range): Window => ({
  startMs: hourOf(fromMs),
  endMs: hourOf(toMs + HOUR_MS - 1)
})

/**
 * Returns the start of the first UTC day from which on hours, not only days, are stored.
 *
 * **Shape** `hoursFromMs` is the end of the days that were already reduced to daily sums.
 */
export const hourlyFromMs = (
  { nowMs }: Pick<Range, "nowMs">,
  { hourlyDays, hoursFromMs }: { readonly hourlyDays: number; readonly hoursFromMs?: number | undefined }
): number => Math.max(dayOf(nowMs - hourlyDays * DAY_MS), hoursFromMs ?? Number.NEGATIVE_INFINITY)

/**
 * Widens a range to whole UTC hours, and each end before `hourlyFromMs` to a whole UTC day. Adjacent windows therefore add up
 * to the window over both.
 *
 * **Example**
 *
 * ```ts
 * align(range, hourlyFromMs) // 2026-03-01T10:20Z to 2026-03-08T10:20Z, which is now
 * // hours 2026-03-01T10:00Z to 2026-03-08T11:00Z, ending 2026-03-08T10:20Z
 * ```
 */
export const align = (range: Range, hourlyFromMs: number): ResolvedRange => {
  const hours = hoursOf(range)
  const startMs = hours.startMs < hourlyFromMs ? dayOf(hours.startMs) : hours.startMs
  const endMs = hours.endMs < hourlyFromMs ? dayOf(hours.endMs + DAY_MS - 1) : hours.endMs
  return {
    hours: { startMs, endMs },
    endMs: Math.min(endMs, range.nowMs),
    isInDays: startMs !== hours.startMs || endMs !== hours.endMs
  }
}

const lengthMs = (text: string): number | undefined => {
  const [, count, unit] = LENGTH.exec(text) ?? []
  if (count === undefined) return undefined
  return Number(count) * UNIT_MS[unit === "h" || unit === "w" ? unit : "d"]
}
