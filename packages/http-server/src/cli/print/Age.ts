/**
 * Ages, in the form that kubectl prints.
 */

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365 * DAY

/**
 * The units in which an age is printed. **Shape** the first entry applies whose `from` is at most the age, in seconds.
 *
 * **Source** Kubernetes, `k8s.io/apimachinery/pkg/util/duration`.
 */
const FORMS: ReadonlyArray<readonly [from: number, units: ReadonlyArray<readonly [seconds: number, letter: string]>]> =
  [
    [8 * YEAR, [[YEAR, "y"]]],
    [
      2 * YEAR,
      [
        [YEAR, "y"],
        [DAY, "d"]
      ]
    ],
    [8 * DAY, [[DAY, "d"]]],
    [
      2 * DAY,
      [
        [DAY, "d"],
        [HOUR, "h"]
      ]
    ],
    [8 * HOUR, [[HOUR, "h"]]],
    [
      3 * HOUR,
      [
        [HOUR, "h"],
        [MINUTE, "m"]
      ]
    ],
    [10 * MINUTE, [[MINUTE, "m"]]],
    [
      2 * MINUTE,
      [
        [MINUTE, "m"],
        [1, "s"]
      ]
    ],
    [0, [[1, "s"]]]
  ]

/**
 * Prints a length of time in one or two units, rounded down.
 *
 * **Units** milliseconds. A negative length, from clocks that differ, is `0s`. **Example** `47s`, `5m10s`, `3h20m`, `12d`
 */
export const print = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1_000))
  const [, units] = FORMS.find(([from]) => seconds >= from) ?? [0, []]
  let left = seconds
  const parts: Array<string> = []
  for (const [length, letter] of units) {
    const count = Math.floor(left / length)
    left -= count * length
    if (count > 0 || parts.length === 0) parts.push(`${count}${letter}`)
  }
  return parts.join("")
}

/** Prints the time since an instant in RFC 3339. A text that is not an instant is returned unchanged. */
export const since = (instant: string, nowMs: number): string => {
  const atMs = Date.parse(instant)
  return Number.isNaN(atMs) ? instant : print(nowMs - atMs)
}
