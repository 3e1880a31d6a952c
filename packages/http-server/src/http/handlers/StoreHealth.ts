/**
 * Cached health check of a store, for frequent probes with a short deadline.
 */
import { type Duration, Effect, Fiber } from "effect"

/** Maximum time that a probe waits for a store. The default timeout of a Kubernetes probe is 1 s. */
const PROBE_DEADLINE = "900 millis"
const ASKED_EVERY = "1 second"

/** The check of a store. **Shape** `name` names the store in the log; `patience` is the timeout of the check. */
interface Asking<E> {
  readonly name: string
  readonly ask: Effect.Effect<unknown, E>
  readonly patience: Duration.Input
}

/**
 * Makes the health check of a store.
 *
 * **Shape** true at first, because the store has been opened. While a check runs, the last result counts. A check that
 * fails or exceeds `patience` makes the result false until a later check succeeds.
 *
 * **Limits** one check at a time and at most one a second, however often probes arrive.
 */
export const make = Effect.fnUntraced(function* <E>({ ask, name, patience }: Asking<E>) {
  const scope = yield* Effect.scope
  let isThere = true
  let asked: Fiber.Fiber<void> | undefined

  const look = ask.pipe(
    Effect.timeout(patience),
    Effect.as(true),
    Effect.catchCause((cause) => Effect.as(Effect.logWarning(`the ${name} failed its health check`, cause), false)),
    Effect.map((found) => {
      isThere = found
    })
  )

  return yield* Effect.gen(function* () {
    if (asked === undefined || asked.pollUnsafe() !== undefined) asked = yield* Effect.forkIn(look, scope)
    yield* Effect.timeoutOption(Fiber.await(asked), PROBE_DEADLINE)
    return isThere
  }).pipe(Effect.cachedWithTTL(ASKED_EVERY))
})
