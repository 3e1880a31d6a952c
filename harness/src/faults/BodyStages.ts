/** Stages that faults apply to the body of a reply. */
import { Result } from "effect"
import { type Json, objectAt, parse, textAt } from "@quarterdeck/embedded-cluster/Json"
import * as Lines from "./Lines.ts"

const NOTHING = Buffer.alloc(0)
const BOOKMARK = Buffer.from('"BOOKMARK"')
const INITIAL_EVENTS_END = "k8s.io/initial-events-end"
const CLOSING_BRACE = 0x7d
const SPACE = 0x20

/**
 * Removes the bookmarks from a watch.
 *
 * Calls `isActive` for each event, so healing also takes effect on open watches. A line that is not JSON passes unchanged.
 */
export const withoutBookmarks = (options: {
  readonly keepInitialEventsEnd: boolean
  readonly isActive: () => boolean
}): Lines.Stage =>
  Lines.stage((line) => {
    // Only lines that contain the word are parsed.
    if (!options.isActive() || !line.includes(BOOKMARK)) return line
    const event = Result.getOrElse(
      Result.try(() => parse(line.toString())),
      (): Json => null
    )
    if (textAt(event, "type") !== "BOOKMARK") return line
    const marks = textAt(objectAt(event, "object", "metadata", "annotations"), INITIAL_EVENTS_END)
    return options.keepInitialEventsEnd && marks === "true" ? line : undefined
  })

/** Removes the last brace from each event of a watch. */
export const malformedEvents = (isActive: () => boolean): Lines.Stage =>
  Lines.stage((line) => (isActive() ? withoutLastBrace(line) : line))

/**
 * Removes the last brace from a whole reply. **Limits** buffers a possible end of the reply: a brace and the whitespace
 * after it.
 */
export const malformedReply = (): Lines.Stage => {
  let buffered: Buffer = NOTHING
  return {
    push: (chunk) => {
      const all = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk])
      const brace = all.lastIndexOf(CLOSING_BRACE)
      const isEnd = brace !== -1 && all.subarray(brace + 1).every((byte) => byte <= SPACE)
      buffered = isEnd ? all.subarray(brace) : NOTHING
      return isEnd ? all.subarray(0, brace) : all
    },
    end: () => buffered.subarray(1)
  }
}

/**
 * Passes at most `afterBytes` bytes, and never the last byte of the reply.
 *
 * `over` returns true when no more bytes will follow. After healing, the stage passes the buffered bytes and all later
 * bytes.
 */
export const truncated = (
  afterBytes: number,
  isActive: () => boolean
): Lines.Stage & { readonly over: () => boolean } => {
  let left = afterBytes
  let buffered: Buffer = NOTHING
  return {
    push: (chunk) => {
      const all = buffered.length === 0 ? chunk : Buffer.concat([buffered, chunk])
      const out = isActive() ? all.subarray(0, Math.min(left, Math.max(0, all.length - 1))) : all
      left -= out.length
      buffered = all.subarray(out.length)
      return out
    },
    end: () => (isActive() ? NOTHING : buffered),
    over: () => isActive() && left <= 0
  }
}

const withoutLastBrace = (line: Buffer): Buffer => {
  const brace = line.lastIndexOf(CLOSING_BRACE)
  return brace === -1 ? line : Buffer.concat([line.subarray(0, brace), line.subarray(brace + 1)])
}
