/**
 * Metrics of the process: event loop delay, memory, and cached row texts.
 */
import { ScrapedGauge } from "@quarterdeck/cluster-fanout"
import { Clock, Effect, Layer, Metric } from "effect"
import { Texts } from "../lists/RowTexts.ts"

/** Interval at which the event loop delay is sampled. **Units** milliseconds. */
const TICK_MS = 20

/** Sampling interval, and window for which the longest delay is recorded. **Units** nanoseconds. */
const TICK = 20_000_000n
const WINDOW = 1_000_000_000n
const NANOS = 1e9

const loopDelay = Metric.histogram("quarterdeck_loop_delay_seconds", {
  description: "Longest delay of the event loop in each second",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
})

const heap = Metric.gauge("quarterdeck_heap_used_bytes", {
  description: "JavaScript heap in use, including garbage that is not yet collected"
})

const resident = Metric.gauge("quarterdeck_resident_memory_bytes", {
  description: "Resident memory of the process"
})

const texts = Metric.gauge("quarterdeck_row_text_bytes", {
  description: "Upper bound of the memory of cached JSON texts of rows"
})

/**
 * Publishes the metrics while the service runs.
 *
 * **Limits** wakes 50 times a second. The gauges are read on each scrape.
 */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const held = yield* Texts
    yield* ScrapedGauge.show(heap, () => process.memoryUsage().heapUsed)
    yield* ScrapedGauge.show(resident, () => process.memoryUsage.rss())
    yield* ScrapedGauge.show(texts, () => held.characters)
    yield* Effect.forkScoped(watchLoop)
  })
)

/** Records the longest event loop delay of each second. */
const watchLoop = Effect.gen(function* () {
  let tickedAt = yield* Clock.monotonicTimeNanos
  let begunAt = tickedAt
  let longest = 0n
  return yield* Effect.forever(
    Effect.gen(function* () {
      yield* Effect.sleep(TICK_MS)
      const now = yield* Clock.monotonicTimeNanos
      const delay = now - tickedAt - TICK
      if (delay > longest) longest = delay
      tickedAt = now
      if (now - begunAt < WINDOW) return
      yield* Metric.update(loopDelay, Number(longest) / NANOS)
      begunAt = now
      longest = 0n
    })
  )
})
