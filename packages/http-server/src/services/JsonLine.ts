/**
 * Formats log entries as one JSON object per line.
 */
import { Logger, References } from "effect"

/**
 * Formats entries exactly like Effect's `Logger.formatJson`, with a fast path for plain entries.
 *
 * `Logger.formatJson` copies an entry and walks its values, which may be errors, redacted or circular. Entries of plain
 * values, such as request logs, need neither.
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

/** Formats a time, and caches the last result: entries that are logged together have the same time. */
const textOf = (date: Date): string => {
  const ms = date.getTime()
  if (ms === textMs) return text
  text = date.toISOString()
  textMs = ms
  return text
}
