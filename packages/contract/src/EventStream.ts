/**
 * Parts shared by the endpoints that reply with server-sent events.
 */
import { Schema } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** The body of a reply that is a stream of events. **Source** WHATWG HTML, "Server-sent events". */
export const eventStream = Schema.String.annotate({
  description:
    "Events: `row` (an existing, new or changed row), `gone` (names a row that no longer exists), `coverage` (the current coverage of one cluster), `ready` (the first full set of rows has been sent), `reset` (discard every row), `end` (the last event, with its `code`). `data` is JSON. A comment is sent every 15 s."
}).pipe(HttpApiSchema.asText({ contentType: "text/event-stream" }))

/** The header that resumes a stream. **Shape** any string: an unknown id is answered with `reset`. */
export const lastEventId = {
  "last-event-id": Schema.optionalKey(Schema.String).annotateKey({
    description: "`id` of the last event read from an earlier stream of the same request."
  })
}

/** Behaviour of every stream, for the endpoints' descriptions. */
export const STREAM_NOTES =
  "A row is sent once it has not changed for 50 ms. Changes of one row within 250 ms are merged into one event. A request with `Last-Event-ID` resumes after that event if it is among the last 10,000 changes; otherwise the stream starts with `reset`. A client that falls 1 MiB behind is disconnected. A key may have five streams open, of all kinds together."
