/**
 * Parses the progress of a bulk action: an event `outcome` for each workload, then `end`.
 */
import { BulkOutcome } from "@quarterdeck/contract/WorkloadsGroup"
import { Option, Schema } from "effect"
import { Sse } from "effect/encoding"
import type { End, Outcome } from "./BulkCall.ts"

const decodeOutcome = Schema.decodeUnknownOption(Schema.fromJsonString(BulkOutcome))
const decodeEnd = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ code: Schema.optionalKey(Schema.String) }))
)

interface Reader {
  /** Parses the next chunk. Returns false once the text is not valid progress. */
  readonly feed: (text: string) => boolean
  /** The end of the call, or `undefined` before the event `end`. */
  readonly end: () => End | undefined
}

/** Makes a reader of progress. Chunks may be cut anywhere. **Shape** events with other names are ignored. */
export const reader = (onOutcome: (outcome: Outcome) => void): Reader => {
  let end: End | undefined
  let isBroken = false
  const parser = Sse.makeParser((event) => {
    if (event._tag !== "Event") return
    if (event.event === "outcome") {
      const outcome = Option.getOrUndefined(decodeOutcome(event.data))
      if (outcome === undefined) isBroken = true
      else onOutcome(outcome)
    } else if (event.event === "end") {
      const data = Option.getOrUndefined(decodeEnd(event.data))
      if (data === undefined) isBroken = true
      else end = { isWhole: data.code === undefined }
    }
  })
  return {
    feed: (text) => parser.feed(text) === undefined && !isBroken,
    end: () => end
  }
}
