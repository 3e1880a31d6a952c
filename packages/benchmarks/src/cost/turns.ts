/**
 * Measures the longest turn of the event loop while an effect runs.
 */
import { Effect, Schedule } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"

/**
 * The longest turn of the loop.
 *
 * **Units** milliseconds. `busy` is processor time of the loop's thread, which other programs do not affect. `late` is by
 * the clock.
 */
export interface Turn {
  readonly busy: number
  readonly late: number
}

const MICROS_PER_MS = 1_000
const NANOS_PER_MS = 1_000_000

const busyMs = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / MICROS_PER_MS
}

/** Runs an effect and returns the longest turn during the run. */
export const longest = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Turn, E, R> =>
  Effect.gen(function* () {
    const delays = yield* Effect.acquireRelease(
      Effect.sync(() => monitorEventLoopDelay({ resolution: 1 })),
      (monitor) => Effect.sync(() => monitor.disable())
    )
    let last = busyMs()
    let busy = 0
    const look = Effect.sync(() => {
      const now = busyMs()
      busy = Math.max(busy, now - last)
      last = now
    })
    delays.enable()
    yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced("1 millis")), { startImmediately: true })
    yield* effect
    yield* look
    return { busy, late: delays.max / NANOS_PER_MS }
  }).pipe(Effect.scoped)
