/** What faults do to the bytes of a reply. */
import { Result } from "effect"
import { type Json, objectAt, parse, textAt } from "@quarterdeck/embedded-cluster/Json"
import * as Lines from "./Lines.ts"

const NOTHING = Buffer.alloc(0)
const BOOKMARK = Buffer.from('"BOOKMARK"')
const INITIAL_EVENTS_END = "k8s.io/initial-events-end"
const CLOSING_BRACE = 0x7d
const SPACE = 0x20

/**
 * Takes bookmarks out of a watch.
 *
 * Asks `isActive` for each event, so that an open watch heals. A line that is no JSON passes.
 */
export const withoutBookmarks = (options: {
  readonly keepInitialEventsEnd: boolean
  readonly isActive: () => boolean
}): Lines.Stage =>
  Lines.stage((line) => {
    // Few lines hold the word, so few are parsed.
    if (!options.isActive() || !line.includes(BOOKMARK)) return line
    const event = Result.getOrElse(
      Result.try(() => parse(line.toString())),
      (): Json => null
    )
    if (textAt(event, "type") !== "BOOKMARK") return line
    const marks = textAt(objectAt(event, "object", "metadata", "annotations"), INITIAL_EVENTS_END)
    return options.keepInitialEventsEnd && marks === "true" ? line : undefined
  })

/** Takes the last brace from each event of a watch. */
export const malformedEvents = (isActive: () => boolean): Lines.Stage =>
  Lines.stage((line) => (isActive() ? withoutLastBrace(line) : line))

/** Takes the last brace from a whole reply. **Limits** holds back what may be its end: a brace and the space behind it. */
export const malformedReply = (): Lines.Stage => {
  let held: Buffer = NOTHING
  return {
    push: (chunk) => {
      const all = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      const brace = all.lastIndexOf(CLOSING_BRACE)
      const isEnd = brace !== -1 && all.subarray(brace + 1).every((byte) => byte <= SPACE)
      held = isEnd ? all.subarray(brace) : NOTHING
      return isEnd ? all.subarray(0, brace) : all
    },
    end: () => held.subarray(1)
  }
}

/**
 * Passes so many bytes and never the last.
 *
 * `over` becomes true when no more shall come. Healed, it passes what it held and all that follows.
 */
export const truncated = (
  afterBytes: number,
  isActive: () => boolean
): Lines.Stage & { readonly over: () => boolean } => {
  let left = afterBytes
  let held: Buffer = NOTHING
  return {
    push: (chunk) => {
      const all = held.length === 0 ? chunk : Buffer.concat([held, chunk])
      const out = isActive() ? all.subarray(0, Math.min(left, Math.max(0, all.length - 1))) : all
      left -= out.length
      held = all.subarray(out.length)
      return out
    },
    end: () => (isActive() ? NOTHING : held),
    over: () => isActive() && left <= 0
  }
}

const withoutLastBrace = (line: Buffer): Buffer => {
  const brace = line.lastIndexOf(CLOSING_BRACE)
  return brace === -1 ? line : Buffer.concat([line.subarray(0, brace), line.subarray(brace + 1)])
}
