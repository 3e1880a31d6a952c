/**
 * Replies with a log that is followed, for as long as the caller may read it.
 */
import type { FollowedLog } from "@quarterdeck/cluster-fanout/PodLogs"
import type * as Problem from "@quarterdeck/contract/Problem"
import { Authenticator } from "@quarterdeck/keys/Authenticator"
import { Principal } from "@quarterdeck/keys/Principal"
import { Sessions } from "@quarterdeck/keys/Sessions"
import { Deferred, Effect, Option, type Scope, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { IncomingMessage } from "node:http"
import * as CallerRecheck from "../guard/CallerRecheck.ts"
import * as LogEnd from "./LogEnd.ts"
import { countEnd, StreamLimits, Streams } from "./Streams.ts"

const LINE_FEED = 0x0a

/**
 * Makes what replies to the current request with a log.
 *
 * **Shape** what the caller's socket does not take is not read from the cluster: nothing piles up here, whatever is written. The
 * last line says why the log ended: with its container, after an hour, with the caller's key or reach, with the service, with the
 * cluster, or since the caller took nothing of what there was.
 *
 * **Errors** the problem `too_many_streams`, and those of `open`.
 */
export const make = Effect.gen(function* () {
  const limits = yield* StreamLimits
  const streams = yield* Streams
  const authenticator = yield* Authenticator
  const sessions = yield* Sessions

  return Effect.fnUntraced(function* (open: Effect.Effect<FollowedLog, Problem.Problem, Scope.Scope>) {
    const { source } = yield* HttpServerRequest.HttpServerRequest
    const { keyId } = yield* Principal
    const ended = yield* Deferred.make<LogEnd.LogEnd>()
    const end = (reason: LogEnd.LogEnd) => Deferred.doneUnsafe(ended, Effect.succeed(reason))
    const isEnded = () => Deferred.isDoneUnsafe(ended)
    const cut = () => {
      if (source instanceof IncomingMessage) source.socket.destroy()
    }
    yield* streams.enter(keyId, { end: (code) => end({ code }) }, "log")
    const log = yield* open
    yield* Effect.addFinalizer(() =>
      isEnded() ? Effect.flatMap(Deferred.await(ended), ({ code }) => countEnd(code)) : countEnd("left")
    )
    const pieces = new Pieces(log, ended)
    const recheck = yield* CallerRecheck.make(authenticator, sessions)
    const judge = Effect.gen(function* () {
      yield* Effect.sleep(limits.judgeMs)
      const code = isEnded() ? undefined : yield* recheck
      if (code !== undefined) end({ code })
      if (!isEnded())
        yield* log.requireReach.pipe(Effect.catch((error) => Effect.sync(() => end(LogEnd.fromReach(error)))))
      if (!isEnded()) return
      // A reader that takes nothing would not hear of it, and stay.
      yield* Effect.sleep(limits.endMs)
      cut()
    })
    const watchReader = Effect.gen(function* () {
      const { taken } = pieces
      yield* Effect.sleep(limits.stalledMs)
      if (pieces.isHanded && pieces.taken === taken) end({ code: "too_slow" })
    })
    yield* Effect.forkScoped(Effect.forever(judge))
    yield* Effect.forkScoped(Effect.forever(watchReader))
    yield* Effect.forkScoped(
      Effect.andThen(
        Effect.sleep(limits.logMs),
        Effect.sync(() => end({ code: "time_limit" }))
      )
    )
    return HttpServerResponse.stream(pieces.bytes, {
      contentType: "text/plain; charset=utf-8",
      headers: { "x-accel-buffering": "no" }
    })
  })
})

/** The log as it is handed to the socket: a piece when the one before was taken. */
class Pieces {
  readonly #log: FollowedLog
  readonly #ended: Deferred.Deferred<LogEnd.LogEnd>
  #isLineOpen = false
  /** Whether the socket has a piece that it has not taken. */
  isHanded = false
  /** Differs when the socket has taken something. */
  taken = 0

  constructor(log: FollowedLog, ended: Deferred.Deferred<LogEnd.LogEnd>) {
    this.#log = log
    this.#ended = ended
  }

  /** The pieces of the log; the first is empty, so that the head of the reply does not wait for the first line. */
  get bytes(): Stream.Stream<Uint8Array> {
    return Stream.concat(
      Stream.make(new Uint8Array()),
      Stream.paginate(undefined, () => this.#take)
    )
  }

  readonly #take = Effect.gen({ self: this }, function* () {
    this.isHanded = false
    this.taken++
    const read = Effect.map(this.#log.read, (piece) =>
      Option.match(piece, { onNone: (): LogEnd.LogEnd => ({ code: "container_ended" }), onSome: (bytes) => bytes })
    )
    const next = yield* Effect.raceFirst(
      read.pipe(Effect.catch((error) => Effect.succeed(LogEnd.fromLog(error)))),
      Deferred.await(this.#ended)
    )
    this.isHanded = true
    if (next instanceof Uint8Array) {
      this.#isLineOpen = next.at(-1) !== LINE_FEED
      return [[next], Option.some(undefined)] as const
    }
    yield* Deferred.succeed(this.#ended, next)
    const line = `${this.#isLineOpen ? "\n" : ""}${LogEnd.print(next)}\n`
    return [[Buffer.from(line)], Option.none<undefined>()] as const
  })
}
