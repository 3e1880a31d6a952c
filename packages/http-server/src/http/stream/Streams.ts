/**
 * The streams that are open: whose they are, and how to end them.
 */
import type * as Problem from "@quarterdeck/contract/Problem"
import { Context, Effect, Layer, Metric, type Scope } from "effect"
import { refuse } from "../refusal/Refusal.ts"

/**
 * How many streams there may be of a key and in all, and how far behind a reader may be.
 *
 * Logs that are followed are counted apart, and end after `logMs`. `stalledMs` is how long a reader may take nothing
 * while something waits for it; `judgeMs` how often its key is checked again; `endMs` how long it may take to receive
 * why its stream ends.
 *
 * **Units** streams, bytes, milliseconds.
 */
export const StreamLimits = Context.Reference("@quarterdeck/http-server/http/stream/StreamLimits", {
  defaultValue: () => ({
    ofKey: 5,
    inAll: 1_000,
    logsOfKey: 20,
    logsInAll: 200,
    logMs: 60 * 60_000,
    behindBytes: 2 ** 20,
    heartbeatMs: 15_000,
    stalledMs: 60_000,
    judgeMs: 1_000,
    endMs: 2_000
  })
})

const RETRY_SECONDS = 5

const open = Metric.gauge("quarterdeck_streams_open", { description: "Streams that are open" })

/** What a stream counts to: events, or a log that is followed. */
export type StreamKind = "events" | "log"

/** An open stream. */
export interface OpenStream {
  readonly end: (code: string) => void
}

export class Streams extends Context.Service<
  Streams,
  {
    /**
     * Takes room for a stream of a key until the scope ends.
     *
     * **Errors** the problem `too_many_streams`, where there are as many of its kind as there may be.
     */
    readonly enter: (
      keyId: string,
      stream: OpenStream,
      kind?: StreamKind
    ) => Effect.Effect<void, Problem.Problem, Scope.Scope>
    /** Ends all streams, for the service stops; none is begun any more. */
    readonly endAll: Effect.Effect<void>
  }
>()("@quarterdeck/http-server/http/stream/Streams") {
  static readonly layer = Layer.effect(
    Streams,
    Effect.gen(function* () {
      const limits = yield* StreamLimits
      const most = {
        events: { ofKey: limits.ofKey, inAll: limits.inAll, what: "streams" },
        log: { ofKey: limits.logsOfKey, inAll: limits.logsInAll, what: "logs that are followed" }
      } as const
      const streams = new Map<OpenStream, { readonly keyId: string; readonly kind: StreamKind }>()
      let isOpen = true

      const enter = Effect.fnUntraced(function* (keyId: string, stream: OpenStream, kind: StreamKind = "events") {
        const { inAll, ofKey, what } = most[kind]
        const alike = [...streams.values()].filter((other) => other.kind === kind)
        const isFull = alike.length >= inAll
        if (isFull || alike.filter((other) => other.keyId === keyId).length >= ofKey) {
          const detail = isFull
            ? `${inAll} ${what} are open; try again when one has ended`
            : `the key has ${ofKey} ${what} open; end one first`
          return yield* refuse("too_many_streams", { detail }, { "retry-after": String(RETRY_SECONDS) })
        }
        yield* Effect.acquireRelease(
          Effect.sync(() => streams.set(stream, { keyId, kind })),
          () =>
            Effect.andThen(
              Effect.sync(() => streams.delete(stream)),
              Effect.suspend(count)
            )
        )
        yield* count()
        if (!isOpen) stream.end("server_stopping")
      })
      const count = () => Metric.update(open, streams.size)
      const endAll = Effect.sync(() => {
        isOpen = false
        for (const stream of streams.keys()) stream.end("server_stopping")
      })
      yield* Effect.addFinalizer(() => endAll)
      return Streams.of({ enter, endAll })
    })
  )
}

const ends = Metric.counter("quarterdeck_stream_ends_total", {
  description: "Streams that ended, by why: `left` is a reader that closed, `too_slow` one that was cut",
  incremental: true
})

/** Counts a stream that ended. */
export const countEnd = (code: string) => Metric.update(Metric.withAttributes(ends, { code }), 1)
