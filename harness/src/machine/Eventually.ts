/** Waits until a condition becomes true, and reports the last value if it does not. */
import { Clock, Duration, Effect, Ref, Schedule, Schema } from "effect"
import { inRealTime } from "./Machine.ts"

/**
 * The condition did not become true in time.
 *
 * **Shape** `last` is the result of the last attempt: the rejected value, or the failure's message.
 */
export class NotYet extends Schema.TaggedError<NotYet>()("NotYet", {
  condition: Schema.String,
  waitedMs: Schema.Natural,
  attempts: Schema.Natural,
  last: Schema.String
}) {
  override get message(): string {
    return `${this.condition}: not after ${this.waitedMs} ms and ${this.attempts} attempts; last seen: ${this.last}`
  }
}

export interface EventuallyOptions {
  /** Total time to wait (default 10 s). */
  readonly within?: Duration.Input
  /** Pause between two attempts (default 50 ms). */
  readonly every?: Duration.Input
}

const WITHIN: Duration.Input = "10 seconds"
const EVERY: Duration.Input = "50 millis"
const SHOWN_CHARACTERS = 500

/**
 * Repeats `probe` until `accepts` returns true for its value, and returns that value.
 *
 * `condition` describes the expected state as a sentence: `the deployment is available`.
 *
 * **Errors** `NotYet` at the deadline, if the last attempt failed or its value was rejected. **Limits** attempts do not
 * overlap and are interrupted at the deadline. Uses real time even under a test clock.
 *
 * **Example**
 *
 * ```ts
 * yield* eventually("the pod runs", eu.api.get(pod), (progress) => phaseOf(progress) === "Running")
 * ```
 */
export const eventually = <A, E, R>(
  condition: string,
  probe: Effect.Effect<A, E, R>,
  accepts: (value: A) => boolean,
  options: EventuallyOptions = {}
): Effect.Effect<A, NotYet, R> =>
  Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis
    const progress = yield* Ref.make({ attempts: 0, last: "nothing" })
    const record = (last: unknown) =>
      Ref.update(progress, ({ attempts }) => ({ attempts: attempts + 1, last: shown(last) }))
    const giveUp = Effect.gen(function* () {
      const waitedMs = Math.round((yield* Clock.currentTimeMillis) - started)
      return yield* new NotYet({ condition, waitedMs, ...(yield* Ref.get(progress)) })
    })
    return yield* probe.pipe(
      Effect.tapError(record),
      Effect.tap(record),
      Effect.filterOrFail(accepts, () => "not accepted"),
      Effect.retry(Schedule.spaced(options.every ?? EVERY)),
      // The schedule never ends, so the effect cannot fail.
      Effect.orDie,
      Effect.timeoutOrElse({ duration: options.within ?? WITHIN, orElse: () => giveUp })
    )
  }).pipe(inRealTime)

const shown = (value: unknown): string => {
  const text = value instanceof Error ? value.message : (JSON.stringify(value) ?? String(value))
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}
