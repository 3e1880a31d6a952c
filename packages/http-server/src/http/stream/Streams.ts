/**
 * The streams that are open: whose they are, and how to end them.
 */
import type * as Problem from "@quarterdeck/contract/Problem"
import { Context, Effect, Layer, Metric, type Scope } from "effect"
import { refuse } from "../Refusal.ts"
import { StreamLimits } from "./StreamLimits.ts"

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
