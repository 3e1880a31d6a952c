/**
 * Figures that a measured process reports about itself.
 */
import { Effect, type Fiber, Schedule, Schema } from "effect"
import { readFileSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"

/**
 * The resource usage of a process, in milliseconds and bytes.
 *
 * **Shape** `cpuMs` is the processor time of all threads since the start. `longestTurnMs` is the longest turn of the event
 * loop since `watch`, by the clock. `longestBusyMs` is the longest turn in processor time of that thread, which other
 * programs on the machine do not affect.
 */
export const Figures = Schema.Struct({
  cpuMs: Schema.Finite,
  longestTurnMs: Schema.Finite,
  longestBusyMs: Schema.Finite,
  longestQueuedMs: Schema.Finite,
  heapBytes: Schema.Finite,
  externalBytes: Schema.Finite,
  residentBytes: Schema.Finite
})
export type Figures = typeof Figures.Type

export const decodeFigures = Schema.decodeUnknownEffect(Schema.fromJsonString(Figures))

const MICROS_PER_MS = 1_000

const NANOS_PER_MS = 1_000_000

const ownMs = (): number => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / MICROS_PER_MS
}

/** Returns the time that this thread was runnable without a processor. **Source** Linux, "Scheduler Statistics". */
const queuedMs = (): number => {
  try {
    const [, waited = "0"] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "latin1").split(" ")
    return Number(waited) / NANOS_PER_MS
  } catch {
    return 0
  }
}

/**
 * Measures this process. **Limits** `take` collects garbage only with `--expose-gc`.
 */
export interface Probe {
  /** Starts to check the event loop every millisecond, which takes some processor time. */
  readonly watch: () => void
  readonly take: (collected: boolean) => Figures
}

export const make = (): Probe => {
  const delays = monitorEventLoopDelay({ resolution: 1 })
  let last = ownMs()
  let longestBusyMs = 0
  let lastQueued = queuedMs()
  let longestQueuedMs = 0
  const look = () => {
    const own = ownMs()
    longestBusyMs = Math.max(longestBusyMs, own - last)
    last = own
    const queued = queuedMs()
    longestQueuedMs = Math.max(longestQueuedMs, queued - lastQueued)
    lastQueued = queued
  }
  let watching: Fiber.Fiber<unknown> | undefined
  return {
    watch: () => {
      watching ??= Effect.runFork(Effect.repeat(Effect.sync(look), Schedule.spaced("1 millis")))
      delays.enable()
      delays.reset()
      last = ownMs()
      longestBusyMs = 0
      lastQueued = queuedMs()
      longestQueuedMs = 0
    },
    take: (collected) => {
      if (watching !== undefined) look()
      const turns = { longestTurnMs: delays.max / NANOS_PER_MS, longestBusyMs, longestQueuedMs }
      // The first collection finds unused buffers, the second releases their memory outside of the heap.
      if (collected) for (let times = 0; times < 2; times++) globalThis.gc?.()
      const { system, user } = process.cpuUsage()
      const memory = process.memoryUsage()
      return {
        ...turns,
        cpuMs: (system + user) / MICROS_PER_MS,
        heapBytes: memory.heapUsed,
        externalBytes: memory.external,
        residentBytes: memory.rss
      }
    }
  }
}
