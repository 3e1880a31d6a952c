/**
 * Expiry of a key, written as an instant or as a length of time from now.
 */
import { DateTime, Duration, Result, Schema } from "effect"

const LENGTH = /^([1-9][0-9]{0,3})([dy])$/
const RFC3339 =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))$/
/** Offsets that the expiry of a deploy-time key may have. */
const UTC = /(?:Z|\+00:00)$/

const DAY_MS = 24 * 60 * 60 * 1_000
const UNIT_MS = { d: DAY_MS, y: 365 * DAY_MS }
/** Last instant with a four-digit year, as RFC 3339 requires. */
const LAST_INSTANT_MS = Date.parse("9999-12-31T23:59:59.999Z")

/** Maximum lifetime of a key, unless the deployment sets another. */
export const DEFAULT_MAX_LIFETIME = Duration.millis(10 * UNIT_MS.y)

/** An expiry was refused. The message explains why, without the refused text. */
export class InvalidExpiry extends Schema.TaggedError<InvalidExpiry>()("InvalidExpiry", {
  problem: Schema.Literals(["syntax", "calendar", "notUtc", "past", "tooFar", "missing"]),
  /** The latest allowed instant, RFC 3339. Present for `tooFar` and `missing`. */
  latest: Schema.optionalKey(Schema.String)
}) {
  override get message(): string {
    const end = this.latest === undefined ? "" : `, which ends at ${this.latest}`
    return `${EXPLANATION[this.problem]}${end}`
  }
}

const EXPLANATION: Record<InvalidExpiry["problem"], string> = {
  syntax:
    "must be a number from 1 to 9999 and a unit, d (days) or y (years), or an RFC 3339 instant such as 2030-01-31T12:00:00Z",
  calendar: "names a date or time that does not exist",
  notUtc: "must be an RFC 3339 instant in UTC, ending in Z or +00:00",
  past: "must lie in the future",
  tooFar: "lies beyond the longest lifetime that a key may have",
  missing: "is required: a key that a signed-in person creates must expire within its longest lifetime"
}

/**
 * Reads the expiry of a create call.
 *
 * **Shape** `^[1-9][0-9]{0,3}[dy]$` with `d` = 24 h and `y` = 365 x 24 h, or RFC 3339 with any offset. Fractions are
 * truncated to milliseconds; leap seconds are refused. The result lies after `now`, by at most `maxLifetime`.
 *
 * **Errors** `InvalidExpiry`.
 *
 * **Example**
 *
 * ```ts
 * parse("90d", { now, maxLifetime }) // now + 90 x 24 h
 * ```
 */
export const parse = (
  text: string,
  limits: { readonly now: DateTime.Utc; readonly maxLifetime: Duration.Duration }
): Result.Result<DateTime.Utc, InvalidExpiry> => {
  const nowMs = DateTime.toEpochMillis(limits.now)
  const length = lengthMs(text)
  const instant = length === undefined ? instantMs(text) : Result.succeed(nowMs + length)
  return Result.flatMap(instant, (endMs) => {
    if (endMs <= nowMs) return refuse("past")
    const latestMs = Math.min(nowMs + Duration.toMillis(limits.maxLifetime), LAST_INSTANT_MS)
    if (endMs > latestMs) {
      return Result.fail(new InvalidExpiry({ problem: "tooFar", latest: new Date(latestMs).toISOString() }))
    }
    return Result.succeed(DateTime.makeUnsafe(endMs))
  })
}

/**
 * Reads the expiry of a deploy-time key.
 *
 * **Shape** RFC 3339 that ends in `Z` or `+00:00`; it may lie in the past.
 *
 * **Errors** `InvalidExpiry`.
 */
export const parseConfigured = (text: string): Result.Result<DateTime.Utc, InvalidExpiry> => {
  if (!RFC3339.test(text) || !UTC.test(text)) return refuse("notUtc")
  return Result.map(instantMs(text), DateTime.makeUnsafe)
}

/** Reads a length of time, such as a maximum lifetime in the settings: `90d`, `10y`. **Errors** `InvalidExpiry`. */
export const parseLifetime = (text: string): Result.Result<Duration.Duration, InvalidExpiry> => {
  const length = lengthMs(text)
  return length === undefined ? refuse("syntax") : Result.succeed(Duration.millis(length))
}

const refuse = (problem: InvalidExpiry["problem"]): Result.Result<never, InvalidExpiry> =>
  Result.fail(new InvalidExpiry({ problem }))

const lengthMs = (text: string): number | undefined => {
  const [, count, unit] = LENGTH.exec(text) ?? []
  return count === undefined ? undefined : Number(count) * (unit === "y" ? UNIT_MS.y : UNIT_MS.d)
}

const instantMs = (text: string): Result.Result<number, InvalidExpiry> => {
  const match = RFC3339.exec(text)
  if (match === null) return refuse("syntax")
  const [, year = "", month = "", day = "", hour = "", minute = "", second = "", fraction = "", sign, ...offset] = match
  const [offsetHour = "00", offsetMinute = "00"] = offset
  const exists =
    Number(month) >= 1
    && Number(month) <= 12
    && Number(day) >= 1
    && Number(day) <= daysIn(Number(year), Number(month))
    && Number(hour) <= 23
    && Number(minute) <= 59
    && Number(second) <= 59
    && Number(offsetHour) <= 23
    && Number(offsetMinute) <= 59
  if (!exists) return refuse("calendar")
  const millis = fraction.slice(0, 3).padEnd(3, "0")
  const local = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${millis}Z`)
  const offsetMs = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000
  return Result.succeed(sign === "-" ? local + offsetMs : local - offsetMs)
}

const daysIn = (year: number, month: number): number => {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}
