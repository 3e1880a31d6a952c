/**
 * Registry of open streams by key, with limits and an orderly end.
 */
import type * as Problem from "@quarterdeck/contract/Problem"
import { Context, Effect, Layer, Metric, type Scope } from "effect"
import { refuse } from "../refusal/Refusal.ts"

/**
 * Limits of streams: per key, in total, and for slow clients.
 *
 * Followed logs have limits of their own, and end after `logMs`. A connection is closed if its client reads nothing for
 * `stalledMs` while data waits. The caller is authenticated again every `judgeMs`. After a stream has ended, the
 * server keeps the connection open for `endMs`, so that the client can read the reason.
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

const open = Metric.gauge("quarterdeck_streams_open", { description: "Open streams" })

/** Kind of a stream, which selects its limits: events, or a followed log. */
export type StreamKind = "events" | "log"

export interface OpenStream {
  readonly end: (code: string) => void
}

export class Streams extends Context.Service<
  Streams,
  {
    /**
     * Registers a stream of a key until the scope closes.
     *
     * **Errors** the problem `too_many_streams` if the key or the service is at its limit for the kind.
     */
    readonly enter: (
      keyId: string,
      stream: OpenStream,
      kind?: StreamKind
    ) => Effect.Effect<void, Problem.Problem, Scope.Scope>
    /** Ends all streams because the service is stopping. A later stream ends at once. */
    readonly endAll: Effect.Effect<void>
  }
>()("@quarterdeck/http-server/http/stream/Streams") {
  static readonly layer = Layer.effect(
    Streams,
    Effect.gen(function* () {
      const limits = yield* StreamLimits
      const most = {
        events: { ofKey: limits.ofKey, inAll: limits.inAll, what: "streams" },
        log: { ofKey: limits.logsOfKey, inAll: limits.logsInAll, what: "log streams" }
      } as const
      const streams = new Map<OpenStream, { readonly keyId: string; readonly kind: StreamKind }>()
      let isOpen = true

      const enter = Effect.fnUntraced(function* (keyId: string, stream: OpenStream, kind: StreamKind = "events") {
        const { inAll, ofKey, what } = most[kind]
        const alike = [...streams.values()].filter((other) => other.kind === kind)
        const isFull = alike.length >= inAll
        if (isFull || alike.filter((other) => other.keyId === keyId).length >= ofKey) {
          const detail = isFull
            ? `${inAll} ${what} are open, which is the maximum; try again later`
            : `the key has ${ofKey} ${what} open, which is the maximum; close one first`
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
  description:
    "Ended streams by reason: `left` if the client closed the stream, `too_slow` if the client read too slowly",
  incremental: true
})

/** Counts an ended stream. **Shape** `code` is the reason. */
export const countEnd = (code: string) => Metric.update(Metric.withAttributes(ends, { code }), 1)
