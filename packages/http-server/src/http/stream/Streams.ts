/**
 * The streams that are open: whose they are, and how to end them.
 */
import type * as Problem from "@quarterdeck/contract/Problem"
import { Context, Effect, Layer, Metric, type Scope } from "effect"
import { refuse } from "../Refusal.ts"
import { StreamLimits } from "./StreamLimits.ts"

const RETRY_SECONDS = 5

const open = Metric.gauge("quarterdeck_streams_open", { description: "Streams that are open" })

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
     * **Errors** the problem `too_many_streams`.
     */
    readonly enter: (keyId: string, stream: OpenStream) => Effect.Effect<void, Problem.Problem, Scope.Scope>
    /** Ends all streams, for the service stops; none is begun any more. */
    readonly endAll: Effect.Effect<void>
  }
>()("@quarterdeck/http-server/http/stream/Streams") {
  static readonly layer = Layer.effect(
    Streams,
    Effect.gen(function* () {
      const { inAll, ofKey } = yield* StreamLimits
      const streams = new Map<OpenStream, string>()
      let isOpen = true

      const enter = Effect.fnUntraced(function* (keyId: string, stream: OpenStream) {
        const own = [...streams.values()].filter((id) => id === keyId).length
        const isFull = streams.size >= inAll
        if (isFull || own >= ofKey) {
          const detail = isFull
            ? `${inAll} streams are open; try again when one has ended`
            : `the key has ${ofKey} streams open; end one first`
          return yield* refuse("too_many_streams", { detail }, { "retry-after": String(RETRY_SECONDS) })
        }
        yield* Effect.acquireRelease(
          Effect.sync(() => streams.set(stream, keyId)),
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
