/**
 * Formats log entries as one JSON object per line.
 */
import { Logger } from "effect"
import * as PlainEntry from "./PlainEntry.ts"

/** Formats entries exactly like Effect's `Logger.formatJson`, with a fast path for plain entries. */
export const format = Logger.make<unknown, string>((options) => {
  const entry = PlainEntry.from(options)
  if (entry === undefined) return Logger.formatJson.log(options)
  const { annotations, fiberId, level, message, timestamp } = entry
  return JSON.stringify({ message, level, timestamp, annotations, spans: NO_SPANS, fiberId })
})

const NO_SPANS = {}
