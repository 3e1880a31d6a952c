/**
 * Cache of computed parts of overviews, with a bounded queue of computations.
 */
import { Cause, Clock, Deferred, Effect, Exit, Schema, Semaphore } from "effect"

/**
 * Maximum age of a part. Less than the 60 s that the API promises, because the reply with the part may itself be cached
 * for a moment.
 */
const MAX_AGE_MS = 55_000
/** Time for which a failure is returned again, so that a store that hangs is not read by every request. */
const MAX_FAILURE_AGE_MS = 5_000
/** Maximum number of parts. The oldest is evicted. */
const MAX_PARTS = 512
/** Maximum number of cached parts that are computed at the same time. */
const MAX_COMPUTING = 2
/** The same for parts that are not cached. They have their own queue, so that they do not delay cached parts. */
const MAX_COMPUTING_UNCACHED = 1
/** Maximum number of computations that wait in a queue. */
const MAX_WAITING = 32
/** Maximum time of one computation of a cached part. */
const MAX_COMPUTING_MS = 30_000

/** The part is not ready at the deadline of the request, or too many computations wait. */
export class PartDelayed extends Schema.TaggedError<PartDelayed>()("PartDelayed", {
  reason: Schema.Literals(["deadline", "queueFull"])
}) {
  override get message(): string {
    return this.reason === "deadline" ? "not ready at the deadline" : `more than ${MAX_WAITING} computations wait`
  }
}

/** A request for a part. **Shape** `key` identifies everything that decides what the caller may see. */
interface Request {
  readonly key: string | undefined
  readonly timeoutMs: number
}

/** The outcome of a computation, and the time for which it is returned. **Units** milliseconds since the epoch. */
interface Kept<A, E> {
  readonly fromMs: number
  readonly untilMs: number
  readonly outcome: Exit.Exit<A, E>
}

/**
 * Makes the function that returns a part by its key, computed now or up to 55 s ago.
 *
 * **Shape** Requests for the same key share one computation. It goes on after their deadlines, and a later request gets
 * its result. Without a key, the part is computed for each request and not cached.
 *
 * **Errors** {@link PartDelayed} at the deadline of the request, or if {@link MAX_WAITING} computations wait. A failure of
 * a computation is returned for 5 s.
 */
export const make = <A, E>() =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const parts = new Map<string, Kept<A, E | PartDelayed>>()
    const pending = new Map<string, Deferred.Deferred<A, E | PartDelayed>>()
    const inQueue = yield* makeQueue(MAX_COMPUTING)
    const inUncachedQueue = yield* makeQueue(MAX_COMPUTING_UNCACHED)

    const find = (key: string, nowMs: number): Exit.Exit<A, E | PartDelayed> | undefined => {
      const kept = parts.get(key)
      return kept !== undefined && nowMs >= kept.fromMs && nowMs < kept.untilMs ? kept.outcome : undefined
    }
    const keep = (key: string, kept: Kept<A, E | PartDelayed>): void => {
      parts.delete(key)
      const [oldest] = parts.keys()
      if (parts.size >= MAX_PARTS && oldest !== undefined) parts.delete(oldest)
      parts.set(key, kept)
    }

    const computeAndKeep = Effect.fnUntraced(function* <R>(
      key: string,
      compute: (nowMs: number) => Effect.Effect<A, E, R>
    ) {
      const atMs = yield* Clock.currentTimeMillis
      const outcome = yield* Effect.exit(within(MAX_COMPUTING_MS, compute(atMs)))
      const endMs = yield* Clock.currentTimeMillis
      if (Exit.isSuccess(outcome)) keep(key, { fromMs: atMs, untilMs: atMs + MAX_AGE_MS, outcome })
      else if (Cause.hasFails(outcome.cause)) {
        keep(key, { fromMs: endMs, untilMs: endMs + MAX_FAILURE_AGE_MS, outcome })
      }
      return yield* outcome
    })

    /** Returns the pending computation of the key, or starts one. */
    const join = <R>(key: string, compute: (nowMs: number) => Effect.Effect<A, E, R>) =>
      Effect.suspend(() => {
        const same = pending.get(key)
        if (same !== undefined) return Effect.succeed(same)
        const started = Deferred.makeUnsafe<A, E | PartDelayed>()
        pending.set(key, started)
        return inQueue(computeAndKeep(key, compute)).pipe(
          Effect.ensuring(Effect.sync(() => pending.delete(key))),
          Deferred.into(started),
          Effect.forkIn(scope),
          Effect.as(started)
        )
      })

    return <R>(
      { key, timeoutMs }: Request,
      compute: (nowMs: number) => Effect.Effect<A, E, R>
    ): Effect.Effect<A, E | PartDelayed, R> =>
      Effect.gen(function* () {
        if (key === undefined) {
          return yield* within(timeoutMs, inUncachedQueue(Effect.flatMap(Clock.currentTimeMillis, compute)))
        }
        const recent = find(key, yield* Clock.currentTimeMillis)
        if (recent !== undefined) return yield* recent
        return yield* within(timeoutMs, Deferred.await(yield* join(key, compute)))
      })
  })

/** Fails at the deadline. */
const within = <A, E, R>(timeoutMs: number, effect: Effect.Effect<A, E, R>) =>
  Effect.timeoutOrElse(effect, {
    duration: timeoutMs,
    orElse: () => Effect.fail(new PartDelayed({ reason: "deadline" }))
  })

/** Makes a queue that runs at most `size` effects at the same time and refuses to hold more than 32 others. */
const makeQueue = (size: number) =>
  Effect.map(Semaphore.make(size), (semaphore) => {
    let count = 0
    const enter = Effect.suspend(() => {
      if (count >= size + MAX_WAITING) return Effect.fail(new PartDelayed({ reason: "queueFull" }))
      count++
      return Effect.void
    })
    const leave = Effect.sync(() => {
      count--
    })
    return <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        enter,
        () => semaphore.withPermit(effect),
        () => leave
      )
  })
