/**
 * The progress of many actions, as the server sends it: an event `outcome` for each workload, then `end`.
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
  /** Takes the next part of the text, and gives whether all until now was progress. */
  readonly feed: (text: string) => boolean
  /** How it ended; `undefined` until then. */
  readonly end: () => End | undefined
}

/** Reads the progress of a call, however its text is cut. **Shape** events of other names are passed over. */
export const reader = (tell: (outcome: Outcome) => void): Reader => {
  let end: End | undefined
  let isBroken = false
  const parser = Sse.makeParser((event) => {
    if (event._tag !== "Event") return
    if (event.event === "outcome") {
      const outcome = Option.getOrUndefined(decodeOutcome(event.data))
      if (outcome === undefined) isBroken = true
      else tell(outcome)
    } else if (event.event === "end") {
      const told = Option.getOrUndefined(decodeEnd(event.data))
      if (told === undefined) isBroken = true
      else end = { isWhole: told.code === undefined }
    }
  })
  return {
    feed: (text) => parser.feed(text) === undefined && !isBroken,
    end: () => end
  }
}
