/**
 * Writes replies to connections, piece by piece with backpressure.
 */
import { Deferred, Effect, Fiber, Random, type Scope } from "effect"
import type { ServerResponse } from "node:http"
import type { Writable } from "node:stream"
import { createGzip } from "node:zlib"
import type { Kernel } from "../core/Kernel.ts"
import type { Change } from "../core/Store.ts"
import { type Beside, JSON_TYPE } from "../core/TextReply.ts"
import * as Watch from "../reads/Watch.ts"
import type { Reply } from "./Reply.ts"

/** Size of a piece. A shorter reply is sent in one write with its length, a longer one is streamed. */
const PIECE_BYTES = 128 * 1024
/**
 * Maximum backlog of a watch. A client with a larger backlog is disconnected, and can resume from its last resource
 * version. A real API server does the same.
 */
const WATCH_BACKLOG_BYTES = 16 * 1024 * 1024
/** Maximum number of events that wait while the initial events are being sent. */
const WATCH_BACKLOG_EVENTS = 100_000
/** Time before a watch's timeout at which the client gets a last bookmark. With it, resuming is cheap. */
const LAST_BOOKMARK_SECONDS = 2

/** Headers of every reply. */
export const HEADERS = { "cache-control": "no-cache, private" }

/** Replies with a whole text. */
export const whole = (
  response: ServerResponse,
  status: number,
  contentType: string,
  body: string,
  { retryAfterSeconds = 0, warnings = [] }: Beside = {}
): Effect.Effect<void> =>
  Effect.sync(() => {
    if (retryAfterSeconds > 0) response.setHeader("retry-after", String(retryAfterSeconds))
    if (warnings.length > 0)
      response.setHeader(
        "warning",
        warnings.map((text) => `299 - ${JSON.stringify(text)}`)
      )
    response.writeHead(status, {
      ...HEADERS,
      "content-type": contentType,
      "content-length": Buffer.byteLength(body)
    })
    // A text is sent in one write together with the headers; a buffer would need a second write.
    response.end(body)
  })

/**
 * Replies with pieces.
 *
 * **Limits** yields to other requests after each 128 KiB. A slow reader delays only its own reply. Compresses replies
 * of more than one piece if the client accepts gzip.
 */
export const pieces = (
  response: ServerResponse,
  status: number,
  all: Iterable<string>,
  gzip: boolean
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const iterator = all[Symbol.iterator]()
    const first = nextPiece(iterator)
    if (first.done) return yield* whole(response, status, JSON_TYPE, first.text)
    response.writeHead(status, {
      ...HEADERS,
      "content-type": JSON_TYPE,
      ...(gzip ? { "content-encoding": "gzip", vary: "accept-encoding" } : {})
    })
    const target = gzip ? yield* compressed(response) : response
    let piece = first
    for (;;) {
      yield* write(target, piece.text)
      if (piece.done) break
      piece = nextPiece(iterator)
    }
    target.end()
  })

const compressed = (response: ServerResponse): Effect.Effect<Writable, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const stream = createGzip({ level: 1 })
      stream.pipe(response)
      return stream
    }),
    // A stream that has ended must still drain into the connection; an interrupted stream must not.
    (stream) => Effect.sync(() => (stream.writableEnded ? undefined : stream.destroy()))
  )

const nextPiece = (iterator: Iterator<string>): { readonly text: string; readonly done: boolean } => {
  const parts: Array<string> = []
  let length = 0
  while (length < PIECE_BYTES) {
    const next = iterator.next()
    if (next.done === true) return { text: parts.join(""), done: true }
    parts.push(next.value)
    length += next.value.length
  }
  return { text: parts.join(""), done: false }
}

/** Writes a text and waits for backpressure. */
export const write = (target: Writable, text: string): Effect.Effect<void> =>
  Effect.suspend(() => (target.write(text) || target.destroyed ? Effect.yieldNow : drained(target)))

const drained = (target: Writable): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    const go = () => resume(Effect.void)
    target.once("drain", go)
    return Effect.sync(() => target.off("drain", go))
  })

export interface WatchSettings {
  readonly bookmarkIntervalMs: number
  readonly shared: Watch.SharedLines
}

/**
 * Streams changes until the watch times out, its reader falls behind, its kind is redefined, or the request is
 * interrupted.
 *
 * **Limits** an event is written immediately, with a text that all watches of the same form share.
 */
export const watch = (
  kernel: Kernel,
  response: ServerResponse,
  reply: Extract<Reply, { _tag: "Watch" }>,
  settings: WatchSettings
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { namespace, query, renderer } = reply
    const behind = yield* Deferred.make<void>()
    const waiting: Array<Change> = []
    const state = { live: false, first: true }

    // Reading the initial state and subscribing are synchronous, so no change is lost or sent twice.
    const beginning = Watch.begin(kernel, renderer, namespace, query)
    response.writeHead(200, { ...HEADERS, "content-type": JSON_TYPE })
    response.flushHeaders()
    if (beginning._tag === "Failure") {
      response.end(Watch.errorLine(beginning.failure))
      return
    }
    const { initial, marked, missed, revision } = beginning.success
    const send = (change: Change): void => {
      const event = Watch.eventOf(change, namespace, query.selection)
      if (event === undefined) return
      response.write(
        state.first
          ? Watch.line(event.type, renderer, event.stored, true)
          : settings.shared.line(event.type, renderer, event.stored)
      )
      state.first = false
      if (response.writableLength > WATCH_BACKLOG_BYTES) Deferred.doneUnsafe(behind, Effect.void)
    }
    const unsubscribe = kernel.store.subscribe(renderer.resource, (change) => {
      if (change.revision <= revision) return
      if (state.live) return send(change)
      waiting.push(change)
      if (waiting.length > WATCH_BACKLOG_EVENTS) Deferred.doneUnsafe(behind, Effect.void)
    })
    yield* Effect.addFinalizer(() => Effect.sync(unsubscribe))
    const over = yield* Deferred.make<void>()
    const release = kernel.registry.onChange(renderer.resource, () => Deferred.doneUnsafe(over, Effect.void))
    yield* Effect.addFinalizer(() => Effect.sync(release))

    const iterator = (function* () {
      for (const stored of initial) {
        yield Watch.line("ADDED", renderer, stored, state.first)
        state.first = false
      }
      if (marked !== undefined) {
        yield Watch.initialEventsEnd(renderer, marked, state.first)
        state.first = false
      }
    })()
    const sendInitial = Effect.gen(function* () {
      for (;;) {
        const piece = nextPiece(iterator)
        if (piece.text !== "") yield* write(response, piece.text)
        if (piece.done) break
      }
      for (const change of missed) send(change)
      for (const change of waiting.splice(0)) send(change)
      state.live = true
    })
    const mark = Effect.sync(() => {
      if (!state.live || kernel.store.revision < revision) return
      response.write(Watch.bookmarkLine(renderer, kernel.store.revision, state.first))
      state.first = false
    })
    const seconds = query.timeoutSeconds > 0 ? query.timeoutSeconds : yield* Random.nextIntBetween(1_800, 3_600)
    const marks = Effect.forever(Effect.andThen(Effect.sleep(settings.bookmarkIntervalMs), mark))
    const lastMark = Effect.andThen(Effect.sleep((seconds - LAST_BOOKMARK_SECONDS) * 1_000), mark)
    const bookmarks = query.bookmarks ? [marks, ...(seconds > LAST_BOOKMARK_SECONDS ? [lastMark] : [])] : []
    const fibers = yield* Effect.forEach([sendInitial, ...bookmarks], (effect) => Effect.forkScoped(effect))
    const ends = [Effect.sleep(seconds * 1_000), Deferred.await(behind), Deferred.await(over)]
    yield* Effect.raceAllFirst(ends)
    yield* Fiber.interruptAll(fibers)
    // A reader that is behind is disconnected: a clean end would look as if no event were missing.
    if (Deferred.isDoneUnsafe(behind)) response.destroy()
    else response.end()
  })
