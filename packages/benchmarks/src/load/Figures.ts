/**
 * What a process tells about itself while it is measured.
 */
import { Effect, type Fiber, Schedule, Schema } from "effect"
import { readFileSync } from "node:fs"
import { monitorEventLoopDelay } from "node:perf_hooks"

/**
 * What a process has used until now, in milliseconds and bytes.
 *
 * **Shape** `cpuMs` is processor time of all threads since the start; `longestTurnMs` is how long the thread that
 * serves was held up at most since it is watched; `longestBusyMs` is processor time of that thread, which other
 * programs on the machine do not add to.
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

/** How long this thread was ready to run and had no processor. **Source** Linux, "Scheduler Statistics". */
const queuedMs = (): number => {
  try {
    const [, waited = "0"] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, "latin1").split(" ")
    return Number(waited) / NANOS_PER_MS
  } catch {
    return 0
  }
}

/**
 * What looks at this process. **Limits** `take` collects garbage where the process may (`--expose-gc`).
 */
export interface Probe {
  /** Looks at the loop every millisecond from now on, which itself costs some processor time. */
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
      // What buffers hold outside of the heap is counted until the collection after the one that found them unused.
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
