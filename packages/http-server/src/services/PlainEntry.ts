/**
 * Log entries that can be formatted without Effect's formatters, which copy an entry and walk its values.
 */
import { type Logger, References } from "effect"

/** An entry of plain values, such as a request log. */
export interface PlainEntry {
  readonly message: string
  readonly level: string
  readonly timestamp: string
  readonly fiberId: string
  readonly annotations: Readonly<Record<string, string | number | boolean>>
}

/** Returns an entry if it is one text without cause and spans, and its annotations are plain values. */
export const from = ({
  cause,
  date,
  fiber,
  logLevel,
  message: messages
}: Logger.Options<unknown>): PlainEntry | undefined => {
  const annotations = fiber.getRef(References.CurrentLogAnnotations)
  const message = onlyOf(messages)
  const isBare = cause.reasons.length === 0 && fiber.getRef(References.CurrentLogSpans).length === 0
  if (typeof message !== "string" || !isBare || !arePlain(annotations)) return undefined
  return { message, level: logLevel.toUpperCase(), timestamp: textOf(date), fiberId: `#${fiber.id}`, annotations }
}

const onlyOf = (message: unknown): unknown => (Array.isArray(message) && message.length === 1 ? message[0] : message)

const arePlain = (
  annotations: Readonly<Record<string, unknown>>
): annotations is Readonly<Record<string, string | number | boolean>> => {
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
