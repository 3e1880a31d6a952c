/**
 * Grace period of a rotation: how long the old key stays valid beside its successor.
 */
import { Duration, Result, Schema } from "effect"

const GRACE = /^(0|[1-9][0-9]{0,3})([hd])$/

const UNIT_HOURS = { h: 1, d: 24 }

/** Maximum time for which both keys of a rotation are valid. */
const MAX_DAYS = 30

/** A grace period was refused. The message explains why, without the refused text. */
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
 * Reads the grace period of a rotation.
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
