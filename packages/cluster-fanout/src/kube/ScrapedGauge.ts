/** Gauges that are computed at each scrape. */
import { Clock, Context, Effect, Metric, type Scope } from "effect"
import * as steadyClock from "./SteadyClock.ts"

/**
 * Publishes a gauge until the scope ends.
 *
 * **Units** `now` milliseconds by `steadyClock`. **Limits** `read` runs at each scrape and must be quick.
 */
export const show = (
  gauge: Metric.Gauge<number>,
  read: (now: number) => number
): Effect.Effect<void, never, Scope.Scope> => {
  const registered = Effect.map(Effect.context<never>(), (context) =>
    Metric.registerUnsafe(gauge, context, {
      get: (asking) => ({ value: read(steadyClock.nowUnsafe(Context.get(asking, Clock.Clock))) }),
      update: () => undefined,
      modify: () => undefined
    })
  )
  return Effect.asVoid(Effect.acquireRelease(registered, (registration) => Effect.sync(() => registration.remove())))
}
