/**
 * Durations in Go's notation: `1h30m`, `250ms`. Also accepts days, which Go does not: `7d`.
 *
 * **Source** Go, `time.ParseDuration`.
 */

const PART = /([0-9]+(?:\.[0-9]+)?)(ms|s|m|h|d)/g
const WHOLE = /^(?:[0-9]+(?:\.[0-9]+)?(?:ms|s|m|h|d))+$/
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses a duration to milliseconds. Undefined for invalid text. */
export const parseMs = (text: string): number | undefined => {
  if (text === "0") return 0
  if (!WHOLE.test(text)) return undefined
  let total = 0
  for (const [, digits = "", unit = ""] of text.matchAll(PART)) total += Number(digits) * (UNIT_MS[unit] ?? 0)
  return total
}

/** Formats whole milliseconds in the notation that {@link parseMs} reads. */
export const printMs = (milliseconds: number): string => {
  if (milliseconds === 0) return "0s"
  const parts: Array<string> = []
  let rest = milliseconds
  for (const unit of ["d", "h", "m", "s", "ms"]) {
    const size = UNIT_MS[unit] ?? 1
    const count = Math.floor(rest / size)
    if (count > 0) parts.push(`${count}${unit}`)
    rest -= count * size
  }
  return parts.join("")
}
