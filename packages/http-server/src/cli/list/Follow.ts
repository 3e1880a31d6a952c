/**
 * Follows a stream of events of the service, and goes on where it was when the connection breaks.
 */
import { Clock, Effect, Schema, type Stdio, Stream } from "effect"
import type { Sse } from "effect/encoding"
import type { HttpClient } from "effect/http"
import * as ApiClient from "../request/ApiClient.ts"
import { type CommandFailure, failed } from "../print/CommandFailure.ts"
import type { Connection } from "../request/Connection.ts"
import * as Print from "../print/Print.ts"

/** How long it waits before it asks again: twice as long each time. **Units** milliseconds. */
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000
/** How long it tries before it gives up. **Units** milliseconds. */
const PATIENCE_MS = 5 * 60_000

const decodeEnd = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Struct({ code: Schema.String })))

/** Why the service ends a stream, in words. */
const ENDS: Readonly<Record<string, string>> = {
  key_revoked: "the key was revoked",
  key_expired: "the key has expired",
  key_narrowed: "what the key may see has changed",
  invalid_key: "the key is not known any more",
  session_ended: "the session has ended",
  key_store_unavailable: "the service cannot tell whether the key still holds",
  server_stopping: "the server stops",
  internal_error: "the service failed; its log says why"
}

/**
 * Gives events as they come to `hear`, those that came together together, until it gives `false`, or the stream ends.
 *
 * **Errors** `CommandFailure`: a refusal, the word by which the service ended the stream, a connection that cannot be made at
 * first, or that is not there again within five minutes.
 */
export const run = Effect.fn("Follow.run")(function* <R>(
  connection: Connection,
  call: ApiClient.Call,
  hear: (events: ReadonlyArray<Sse.Event>) => Effect.Effect<boolean, CommandFailure, R>
): Effect.fn.Return<void, CommandFailure, R | HttpClient.HttpClient | Stdio.Stdio> {
  let lastId: string | undefined
  /** When something came last, be it a comment. */
  let aliveAt: number | undefined
  let waitMs = FIRST_WAIT_MS
  let isWanted = true

  const listen = Effect.fnUntraced(function* (events: ReadonlyArray<Sse.Event>) {
    aliveAt = yield* Clock.currentTimeMillis
    waitMs = FIRST_WAIT_MS
    if (events.length === 0) return true
    const end = events.find(({ event }) => event === "end")
    lastId = events.findLast(({ id }) => id !== undefined)?.id ?? lastId
    isWanted = yield* hear(events.filter(({ event }) => event !== "end"))
    return isWanted && end !== undefined ? yield* endedBy(end) : isWanted
  })

  const once = Effect.suspend(() => {
    const headers = { ...call.headers, ...(lastId === undefined ? {} : { "last-event-id": lastId }) }
    return Stream.runForEachWhile(ApiClient.events(connection, { ...call, headers }), listen)
  }).pipe(
    Effect.as(failed(`${connection.base}: the connection was closed`)),
    Effect.catchTag("StreamLost", ({ failure }) => Effect.succeed(failure))
  )

  while (true) {
    const failure = yield* once
    if (!isWanted) return
    if (aliveAt === undefined || (yield* Clock.currentTimeMillis) - aliveAt > PATIENCE_MS) return yield* failure
    if (waitMs === FIRST_WAIT_MS) yield* Print.note(`${failure.message}; trying again`)
    yield* Effect.sleep(waitMs)
    waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)
  }
})

const endedBy = ({ data }: Sse.Event): CommandFailure => {
  const end = decodeEnd(data)
  const code = end._tag === "Success" ? end.success.code : "unknown"
  return failed(`the service ended the stream: ${ENDS[code] ?? "it gave no other reason"} (${code})`)
}
