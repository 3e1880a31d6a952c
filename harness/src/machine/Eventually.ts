/** Waits for something to become true, and says what was missing when it does not. */
import { Clock, Duration, Effect, Ref, Schedule, Schema } from "effect"
import { inRealTime } from "./Machine.ts"

/**
 * The condition did not come true in time.
 *
 * **Shape** `last` is what the last attempt saw: the value that was not accepted, or the failure's message.
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
  /** How long to wait in all (default 10 s). */
  readonly within?: Duration.Input
  /** The pause between two attempts (default 50 ms). */
  readonly every?: Duration.Input
}

const WITHIN: Duration.Input = "10 seconds"
const EVERY: Duration.Input = "50 millis"
const SHOWN_CHARACTERS = 500

/**
 * Repeats `probe` until it succeeds with a value that `accepts` takes, and gives that value.
 *
 * `condition` says what is awaited, as a sentence: `the deployment is available`.
 *
 * **Errors** `NotYet` at the deadline, whether the last attempt failed or gave another value. **Limits** attempts follow
 * each other, never overlap, and are interrupted at the deadline; real time, also under a test clock.
 *
 * **Example**
 *
 * ```ts
 * yield* eventually("the pod runs", eu.api.get(pod), (seen) => phaseOf(seen) === "Running")
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
    const seen = yield* Ref.make({ attempts: 0, last: "nothing" })
    const note = (last: unknown) => Ref.update(seen, ({ attempts }) => ({ attempts: attempts + 1, last: shown(last) }))
    const giveUp = Effect.gen(function* () {
      const waitedMs = Math.round((yield* Clock.currentTimeMillis) - started)
      return yield* new NotYet({ condition, waitedMs, ...(yield* Ref.get(seen)) })
    })
    return yield* probe.pipe(
      Effect.tapError(note),
      Effect.tap(note),
      Effect.filterOrFail(accepts, () => "not accepted"),
      Effect.retry(Schedule.spaced(options.every ?? EVERY)),
      // The schedule has no end, so no failure comes out of it.
      Effect.orDie,
      Effect.timeoutOrElse({ duration: options.within ?? WITHIN, orElse: () => giveUp })
    )
  }).pipe(inRealTime)

const shown = (value: unknown): string => {
  const text = value instanceof Error ? value.message : (JSON.stringify(value) ?? String(value))
  return text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text
}
