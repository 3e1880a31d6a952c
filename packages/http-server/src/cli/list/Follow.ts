/**
 * Reads a stream of events, and resumes it when the connection breaks.
 */
import { Clock, Effect, Schema, type Stdio, Stream } from "effect"
import type { Sse } from "effect/encoding"
import type { HttpClient } from "effect/http"
import * as ApiClient from "../request/ApiClient.ts"
import { type CommandFailure, failed } from "../print/CommandFailure.ts"
import type { Connection } from "../request/Connection.ts"
import * as Print from "../print/Print.ts"

/** Backoff before a reconnect; it doubles each time. */
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 15_000
/** Reconnecting stops after this time without data. */
const PATIENCE_MS = 5 * 60_000

const decodeEnd = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Struct({ code: Schema.String })))

/** Explanations of the codes with which the server ends a stream. */
const ENDS: Readonly<Record<string, string>> = {
  key_revoked: "the key was revoked",
  key_expired: "the key has expired",
  key_narrowed: "the key's scope has changed",
  invalid_key: "the key no longer exists",
  session_ended: "the session has ended",
  key_store_unavailable: "the server cannot check whether the key is still valid",
  server_stopping: "the server is stopping",
  internal_error: "the server failed; its log has the reason"
}

/**
 * Passes events to `hear` in chunks as they arrive, until `hear` returns false or the stream ends.
 *
 * **Errors** `CommandFailure` if the server refuses or ends the stream, if the first connection fails, or if no reconnect
 * succeeds within five minutes.
 */
export const run = Effect.fn("Follow.run")(function* <R>(
  connection: Connection,
  call: ApiClient.Call,
  hear: (events: ReadonlyArray<Sse.Event>) => Effect.Effect<boolean, CommandFailure, R>
): Effect.fn.Return<void, CommandFailure, R | HttpClient.HttpClient | Stdio.Stdio> {
  let lastId: string | undefined
  /** The time of the last chunk, which may be a comment only. */
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
    if (waitMs === FIRST_WAIT_MS) yield* Print.note(`${failure.message}; reconnecting`)
    yield* Effect.sleep(waitMs)
    waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)
  }
})

const endedBy = ({ data }: Sse.Event): CommandFailure => {
  const end = decodeEnd(data)
  const code = end._tag === "Success" ? end.success.code : "unknown"
  return failed(`the server ended the stream: ${ENDS[code] ?? "unknown reason"} (${code})`)
}
