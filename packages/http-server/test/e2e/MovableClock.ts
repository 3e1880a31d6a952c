/** A clock that runs until a test stops it, and then goes on as far as the test says; sleeps go on as ever. */
import { Clock, Context, Effect } from "effect"

const NANOS = 1_000_000n

/** Makes a clock that runs. */
export const make = () => {
  const real = Context.get(Context.empty(), Clock.Clock)
  let stopped: { millis: number; nanos: bigint; monotonic: bigint } | undefined
  const currentTimeMillisUnsafe = () => stopped?.millis ?? real.currentTimeMillisUnsafe()
  const currentTimeNanosUnsafe = () => stopped?.nanos ?? real.currentTimeNanosUnsafe()
  const monotonicTimeNanosUnsafe = () => stopped?.monotonic ?? real.monotonicTimeNanosUnsafe()
  const clock: Clock.Clock = {
    currentTimeMillisUnsafe,
    currentTimeNanosUnsafe,
    monotonicTimeNanosUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    currentTimeNanos: Effect.sync(currentTimeNanosUnsafe),
    monotonicTimeNanos: Effect.sync(monotonicTimeNanosUnsafe),
    sleep: (duration) => real.sleep(duration)
  }
  /** Runs an effect while the clock stands still but for `advance`. */
  const whileStopped = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => {
        stopped = {
          millis: real.currentTimeMillisUnsafe(),
          nanos: real.currentTimeNanosUnsafe(),
          monotonic: real.monotonicTimeNanosUnsafe()
        }
      }),
      () => effect,
      () =>
        Effect.sync(() => {
          stopped = undefined
        })
    )
  const advance = (ms: number): void => {
    if (stopped === undefined) return
    const nanos = BigInt(ms) * NANOS
    stopped = {
      millis: stopped.millis + ms,
      nanos: stopped.nanos + nanos,
      monotonic: stopped.monotonic + nanos
    }
  }
  return { services: Context.make(Clock.Clock, clock), now: currentTimeMillisUnsafe, whileStopped, advance }
}
