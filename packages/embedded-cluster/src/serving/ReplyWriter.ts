/**
 * Writes replies to a connection without ever holding more than a piece of them.
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

/** Replies shorter than this go out in one write with their length; longer ones are streamed. */
const PIECE_BYTES = 128 * 1024
/**
 * A watcher that lets more than this pile up is cut off, as the real server does; it can resume from its last version.
 */
const WATCH_BACKLOG_BYTES = 16 * 1024 * 1024
/** Events that may wait while the initial ones are still on their way. */
const WATCH_BACKLOG_EVENTS = 100_000
/** A watch gets a last bookmark this long before its time is up, so that resuming costs little. */
const LAST_BOOKMARK_SECONDS = 2

/** Of every answer. */
export const HEADERS = { "cache-control": "no-cache, private" }

/** Answers with a whole text. */
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
    // Head and text go out as one piece; a buffer would be a second one.
    response.end(body)
  })

/**
 * Answers with pieces.
 *
 * **Limits** other requests get their turn after each 128 KiB; a slow reader holds up nobody but itself. Compresses
 * what takes more than one piece, where the client allows it.
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
    // A stream that has ended still has to drain into the connection; one that was cut off has not.
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

/** Writes, and waits until the reader has caught up. */
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
 * Follows changes until the watch's time is up, its reader falls behind, its kind is redefined, or the request is
 * interrupted.
 *
 * **Limits** an event is written the moment it happens, with the text that all watches of the same form share.
 */
export const watch = (
  kernel: Kernel,
  response: ServerResponse,
  asked: Extract<Reply, { _tag: "Watch" }>,
  settings: WatchSettings
): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { namespace, query, renderer } = asked
    const behind = yield* Deferred.make<void>()
    const waiting: Array<Change> = []
    const state = { live: false, first: true }

    // The beginning and the subscription are one step: no change falls between them, and none is told twice.
    const beginning = Watch.begin(kernel, renderer, namespace, query)
    response.writeHead(200, { ...HEADERS, "content-type": JSON_TYPE })
    response.flushHeaders()
    if (beginning._tag === "Failure") {
      response.end(Watch.errorLine(beginning.failure))
      return
    }
    const { initial, marked, missed, revision } = beginning.success
    const tell = (change: Change): void => {
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
      if (state.live) return tell(change)
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
    const begun = Effect.gen(function* () {
      for (;;) {
        const piece = nextPiece(iterator)
        if (piece.text !== "") yield* write(response, piece.text)
        if (piece.done) break
      }
      for (const change of missed) tell(change)
      for (const change of waiting.splice(0)) tell(change)
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
    const fibers = yield* Effect.forEach([begun, ...bookmarks], (effect) => Effect.forkScoped(effect))
    const ends = [Effect.sleep(seconds * 1_000), Deferred.await(behind), Deferred.await(over)]
    yield* Effect.raceAllFirst(ends)
    yield* Fiber.interruptAll(fibers)
    // A reader that is behind gets no more than it has: a clean end would look as if this were all.
    if (Deferred.isDoneUnsafe(behind)) response.destroy()
    else response.end()
  })
