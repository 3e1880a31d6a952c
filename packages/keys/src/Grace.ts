/**
 * How long a rotated key lives on beside the one that takes its place.
 */
import { Duration, Result, Schema } from "effect"

const GRACE = /^(0|[1-9][0-9]{0,3})([hd])$/

const UNIT_HOURS = { h: 1, d: 24 }

/** The longest that two secrets of one rotation are valid side by side. */
const MAX_DAYS = 30

/** Says why a grace was refused; the text is kept out of the message. */
export class InvalidGrace extends Schema.TaggedError<InvalidGrace>()("InvalidGrace", {
  problem: Schema.Literals(["syntax", "tooLong"])
}) {
  override get message(): string {
    return this.problem === "syntax"
      ? "must be a number from 0 to 9999 and a unit, h (hours) or d (days), such as 24h"
      : `must be ${MAX_DAYS} days at most`
  }
}

/**
 * Reads the grace of a rotation.
 *
 * **Shape** `^(0|[1-9][0-9]{0,3})[hd]$` with `d` = 24 h; 30 days at most.
 *
 * **Errors** `InvalidGrace`.
 *
 * **Example** `parse("24h")`
 */
export const parse = (text: string): Result.Result<Duration.Duration, InvalidGrace> => {
  const [, count, unit] = GRACE.exec(text) ?? []
  if (count === undefined) return Result.fail(new InvalidGrace({ problem: "syntax" }))
  const hours = Number(count) * UNIT_HOURS[unit === "d" ? "d" : "h"]
  if (hours > MAX_DAYS * UNIT_HOURS.d) return Result.fail(new InvalidGrace({ problem: "tooLong" }))
  return Result.succeed(Duration.hours(hours))
}
