/** Makes spans where somebody takes them, and costs next to nothing where nobody does. */
import { Effect, References, type Tracer } from "effect"

/**
 * Runs an effect in a span of its own, if spans are traced.
 *
 * `Effect.fn` with a name and `Effect.withSpan` make a span and a context for it also where tracing is off, which shows where
 * hundreds of clusters are asked at once.
 */
export const traced =
  (name: string, attributes: () => Tracer.SpanOptionsNoTrace["attributes"]) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(References.TracerEnabled, (isTraced) =>
      isTraced ? Effect.withSpan(effect, name, { attributes: attributes() }) : effect
    )
