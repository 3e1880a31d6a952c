/**
 * Replies with server-sent events until the caller loses access.
 *
 * **Source** WHATWG HTML, "Server-sent events".
 */
import type * as Problem from "@quarterdeck/contract/Problem"
import type { WatchEvent } from "@quarterdeck/cluster-fanout"
import { Authenticator } from "@quarterdeck/keys/Authenticator"
import { Principal } from "@quarterdeck/keys/Principal"
import { Sessions } from "@quarterdeck/keys/Sessions"
import { Effect } from "effect"
import { Sse } from "effect/encoding"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { IncomingMessage } from "node:http"
import { type RowTexts, Texts } from "../lists/RowTexts.ts"
import { EventOutbox } from "./EventOutbox.ts"
import * as CallerRecheck from "../guard/CallerRecheck.ts"
import { countEnd, StreamLimits, Streams } from "./Streams.ts"

const COMMENT = ":\n\n"

/**
 * Makes the function that opens a stream for the current request.
 *
 * **Shape** `begin` sends events to its sink until the scope closes. The stream ends if the caller's key or session ends, if
 * the service stops, or if the client reads too slowly.
 *
 * **Errors** the problem `too_many_streams`, and those of `begin`.
 */
export const make = Effect.gen(function* () {
  const limits = yield* StreamLimits
  const streams = yield* Streams
  const texts = yield* Texts
  const authenticator = yield* Authenticator
  const sessions = yield* Sessions

  return Effect.fnUntraced(function* <Row extends object, R>(
    identityOf: (row: Row) => object,
    begin: (sink: WatchEvent.WatchSink<Row>) => Effect.Effect<void, Problem.Problem, R>
  ) {
    const { source } = yield* HttpServerRequest.HttpServerRequest
    const { keyId } = yield* Principal
    let code: string | undefined
    const cut = () => {
      code ??= "too_slow"
      if (source instanceof IncomingMessage) source.socket.destroy()
    }
    const outbox = new EventOutbox(limits.behindBytes, cut)
    const end = (reason: string) => {
      code ??= reason
      outbox.end(Sse.encoder.write({ _tag: "Event", event: "end", id: undefined, data: JSON.stringify({ code }) }))
    }
    yield* streams.enter(keyId, { end })
    yield* Effect.addFinalizer(() => countEnd(code ?? "left"))
    const print = printer(texts, identityOf)
    outbox.push([COMMENT])
    yield* begin({
      push: (events) => outbox.push(events.map(print)),
      pushLater: (events) => outbox.pushLater(mapped(events, print)),
      pushMany: (events) => outbox.pushMany(events.length, mapped(events, print)),
      broken: () => end("internal_error")
    })
    const recheck = yield* CallerRecheck.make(authenticator, sessions)
    const judge = Effect.gen(function* () {
      yield* Effect.sleep(limits.judgeMs)
      const reason = code === undefined ? yield* recheck : undefined
      if (reason !== undefined) end(reason)
      if (code === undefined) return
      // A client that reads nothing never receives the last event, so the connection is closed.
      yield* Effect.sleep(limits.endMs)
      cut()
    })
    yield* Effect.forkScoped(Effect.forever(judge))
    yield* Effect.forkScoped(beat(outbox, limits.heartbeatMs))
    yield* Effect.forkScoped(cutStalled(outbox, limits.stalledMs, cut))
    return HttpServerResponse.stream(outbox.bytes, {
      contentType: "text/event-stream",
      headers: { "x-accel-buffering": "no" }
    })
  })
})

/** Sends heartbeats, so that neither proxies nor the client time out. */
const beat = (outbox: EventOutbox, everyMs: number) =>
  Effect.sleep(everyMs).pipe(Effect.andThen(Effect.sync(() => outbox.push([COMMENT]))), Effect.forever)

/** Closes the connection if the client reads nothing for `stalledMs` while data waits. */
const cutStalled = (outbox: EventOutbox, stalledMs: number, cut: () => void) =>
  Effect.gen(function* () {
    const { takes } = outbox
    yield* Effect.sleep(stalledMs)
    if (outbox.isWaiting && outbox.takes === takes) cut()
  }).pipe(Effect.forever)

function* mapped<A, B>(items: Iterable<A>, map: (item: A) => B): Generator<B, undefined> {
  for (const item of items) yield map(item)
}

const printer =
  <Row extends object>(texts: RowTexts, identityOf: (row: Row) => object) =>
  (event: WatchEvent.WatchEvent<Row>): string => {
    const write = (name: string, data: string, id?: string) =>
      Sse.encoder.write({ _tag: "Event", event: name, id, data })
    switch (event._tag) {
      case "Row":
        return write("row", texts.of(event.row), event.id)
      case "Gone":
        return write("gone", JSON.stringify(identityOf(event.row)), event.id)
      case "Coverage":
        return write("coverage", JSON.stringify(event.coverage))
      case "Ready":
        return write("ready", "{}", event.id)
      case "Reset":
        return write("reset", "{}", event.id)
    }
  }
