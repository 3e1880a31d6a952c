/**
 * Replies with a followed log until the caller loses access.
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
 * Makes the function that replies to the current request with a log.
 *
 * **Shape** backpressure: the cluster's log is read only as fast as the client's socket accepts it. The last line states why
 * the log ended: the container ended, one hour passed, the caller lost access, the service stopped, the cluster failed, or
 * the client read nothing.
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
      // A client that reads nothing never receives the last line, so the connection is closed.
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

/** Chunks of a log for the socket. Each is read after the socket has accepted the previous one. */
class Pieces {
  readonly #log: FollowedLog
  readonly #ended: Deferred.Deferred<LogEnd.LogEnd>
  #isLineOpen = false
  /** True if the socket has not yet accepted the last chunk. */
  isHanded = false
  /** Number of chunks that the socket has requested. It grows while the client reads. */
  taken = 0

  constructor(log: FollowedLog, ended: Deferred.Deferred<LogEnd.LogEnd>) {
    this.#log = log
    this.#ended = ended
  }

  /** The chunks of the log. The first is empty, so that the reply's headers do not wait for the first line. */
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
