/**
 * Times in the format that the real server reads and prints.
 *
 * **Source** Go, `time.Parse`; `metav1.Time` and `metav1.MicroTime` of Kubernetes 1.36.
 */

/** Precision of a time. A time in `micros` always has six fractional digits. */
export type Precision = "seconds" | "micros"

const TIME = /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]+)?(?:Z|[+-][0-9]{2}:[0-9]{2})$/
const MICROS = /^\.[0-9]{6}$/
const SECONDS = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$/

/** Returns whether a text is a time of this precision. */
export const isTime = (text: string, precision: Precision): boolean => {
  const match = TIME.exec(text)
  if (match === null) return false
  const [, year, month, day, hour, minute, second, fraction = ""] = match
  if (precision === "micros" && !MICROS.test(fraction)) return false
  // Day 0 of the next month is the last day of this month.
  const days = new Date(new Date(0).setUTCFullYear(Number(year), Number(month), 0)).getUTCDate()
  const isDate = within(month, 1, 12) && within(day, 1, days)
  return isDate && within(hour, 0, 23) && within(minute, 0, 59) && within(second, 0, 59)
}

const within = (digits: string | undefined, least: number, most: number): boolean =>
  Number(digits) >= least && Number(digits) <= most

/** Prints a UTC time in whole seconds, without its zone. */
const printed = (ms: number): string => new Date(ms).toISOString().slice(0, -".000Z".length)

/** Prints a time as the server does: in UTC, in whole seconds or microseconds. Returns other texts unchanged. */
export const canonical = (text: string, precision: Precision): string => {
  if (precision === "seconds" && SECONDS.test(text)) return text
  const ms = isTime(text, precision) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms)) return text
  const micros = precision === "micros" ? /\.[0-9]{6}/.exec(text)?.[0] : undefined
  return `${printed(ms)}${micros ?? ""}Z`
}
