/**
 * Writes what is logged as one JSON object a line.
 */
import { Logger, References } from "effect"

/**
 * Formats entries as Effect's own `Logger.formatJson` does, letter by letter.
 *
 * That copies an entry and walks every value of it, for it may be an error, hide itself or hold itself. Entries of plain
 * values, as those of requests are, need neither: they take a quarter of the time.
 */
export const format = Logger.make<unknown, string>((options) => {
  const { cause, date, fiber, logLevel } = options
  const annotations = fiber.getRef(References.CurrentLogAnnotations)
  const message = onlyOf(options.message)
  const isBare = cause.reasons.length === 0 && fiber.getRef(References.CurrentLogSpans).length === 0
  if (typeof message !== "string" || !isBare || !arePlain(annotations)) return Logger.formatJson.log(options)
  const entry = {
    message,
    level: logLevel.toUpperCase(),
    timestamp: textOf(date),
    annotations,
    spans: NO_SPANS,
    fiberId: `#${fiber.id}`
  }
  return JSON.stringify(entry)
})

const NO_SPANS = {}

const onlyOf = (message: unknown): unknown => (Array.isArray(message) && message.length === 1 ? message[0] : message)

const arePlain = (annotations: Readonly<Record<string, unknown>>): boolean => {
  for (const name in annotations) {
    const value = annotations[name]
    if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return false
  }
  return true
}

let textMs = Number.NaN
let text = ""

/** Writes a moment. Lines that are logged together have one. */
const textOf = (date: Date): string => {
  const ms = date.getTime()
  if (ms === textMs) return text
  text = date.toISOString()
  textMs = ms
  return text
}
