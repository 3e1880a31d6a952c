/**
 * Parses instants in requests and settings.
 */
import { Schema } from "effect"

const RFC3339 =
  /^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt]([0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.([0-9]{1,9}))?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))$/

/**
 * Parses an RFC 3339 instant. **Units** milliseconds since the epoch; smaller fractions are truncated.
 *
 * **Shape** any offset. `undefined` for a date or time that does not exist, and for a leap second.
 *
 * **Source** RFC 3339 section 5.6.
 */
export const parseRfc3339 = (text: string): number | undefined => {
  const [, date, time, fraction = "", sign, offsetHour = "00", offsetMinute = "00"] = RFC3339.exec(text) ?? []
  if (date === undefined || time === undefined) return undefined
  const utc = `${date}T${time}.${fraction.slice(0, 3).padEnd(3, "0")}Z`
  const ms = Date.parse(utc)
  // Date.parse accepts 30 February and 24:00 as the next day. Only a date that prints as it was written exists.
  if (Number.isNaN(ms) || new Date(ms).toISOString() !== utc) return undefined
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined
  const offsetMs = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000
  return sign === "-" ? ms + offsetMs : ms - offsetMs
}

/** An instant in a document. **Shape** RFC 3339, stored as written. */
export const Instant = Schema.String.check(
  Schema.makeFilter(
    (text) => parseRfc3339(text) !== undefined || "must be an RFC 3339 instant such as 2026-01-31T12:00:00Z",
    { toJsonSchema: () => ({ format: "date-time" }) }
  )
)
export type Instant = typeof Instant.Type
