/**
 * Formats log entries as one line of `label=value` pairs.
 */
import { Logger } from "effect"
import * as PlainEntry from "./PlainEntry.ts"

/** Formats entries exactly like Effect's `Logger.formatLogFmt`, with a fast path for plain entries. */
export const format = Logger.make<unknown, string>((options) => {
  const entry = PlainEntry.from(options)
  if (entry === undefined) return Logger.formatLogFmt.log(options)
  const { annotations, fiberId, level, message, timestamp } = entry
  let line = `timestamp=${timestamp} level=${level} fiber=${fiberId} message=${valueOf(message)}`
  for (const name in annotations) line += ` ${labelOf(name)}=${valueOf(String(annotations[name]))}`
  return line
})

/** Matches text that needs no quotes. */
const BARE = /^[^\s"=]*$/

const valueOf = (text: string): string => (BARE.test(text) ? text : JSON.stringify(text))

const labelOf = (name: string): string => (BARE.test(name) ? name : name.replace(/[\s="]/g, "_"))
