/**
 * What routes have in common that send events instead of one reply.
 */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** The body of a reply that is a stream of events. **Source** WHATWG HTML, "Server-sent events". */
export const eventStream = Schema.String.annotate({
  description:
    "`row` (a row that is there, new or changed), `gone` (what names one that is not any more), `coverage` (how one cluster answers now), `ready` (the first full set has been sent), `reset` (forget every row), `end` (the last event, with its `code`). `data` is JSON; a comment comes every 15 s."
}).pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))

/** The header by which a stream goes on. **Shape** any text: one that names no place is answered by `reset`. */
export const lastEventId = {
  "last-event-id": Schema.optionalKey(Schema.String).annotateKey({
    description: "The `id` of the last event that was read of an earlier stream of the same question."
  })
}

/** What every stream does, for its description. */
export const STREAM_NOTES =
  "Changes of one row within 250 ms are one. With the `id` of the last event in `Last-Event-ID` a stream goes on where it was, within the last 10,000 changes; else it begins with `reset`. A reader that is 1 MiB behind is cut. Five streams a key, of all kinds together."
