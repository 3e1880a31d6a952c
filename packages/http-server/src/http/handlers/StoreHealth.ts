/**
 * Whether a store answers, for probes that come often and must be answered soon.
 */
import { type Duration, Effect, Fiber } from "effect"

/** How long a probe waits for a store: Kubernetes waits a second for a probe unless it is told otherwise. */
const PROBE_DEADLINE = "900 millis"
const ASKED_EVERY = "1 second"

/** What is asked, and how long it may take. **Shape** `name` is the store's, for the log. */
interface Asking<E> {
  readonly name: string
  readonly ask: Effect.Effect<unknown, E>
  readonly patience: Duration.Input
}

/**
 * Makes the answer to probes.
 *
 * **Shape** a store was there when it was opened. While it is asked it counts as what it was; one that has failed, or not
 * answered within `patience`, counts as gone until it answers again.
 *
 * **Limits** however often probes come, the store is asked one question at once, and one a second.
 */
export const make = Effect.fnUntraced(function* <E>({ ask, name, patience }: Asking<E>) {
  const scope = yield* Effect.scope
  let isThere = true
  let asked: Fiber.Fiber<void> | undefined

  const look = ask.pipe(
    Effect.timeout(patience),
    Effect.as(true),
    Effect.catchCause((cause) => Effect.as(Effect.logWarning(`the ${name} does not answer`, cause), false)),
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
