/** Makes spans only while tracing is enabled. */
import { Effect, References, type Tracer } from "effect"

/**
 * Runs an effect in a span, if tracing is enabled.
 *
 * `Effect.fn` with a name and `Effect.withSpan` create a span and a context even if tracing is disabled. The cost is
 * noticeable when hundreds of clusters are asked at once.
 */
export const traced =
  (name: string, attributes: () => Tracer.SpanOptionsNoTrace["attributes"]) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(References.TracerEnabled, (isTraced) =>
      isTraced ? Effect.withSpan(effect, name, { attributes: attributes() }) : effect
    )
