/**
 * Counts streams that ended, by why.
 */
import { Metric } from "effect"

const ends = Metric.counter("quarterdeck_stream_ends_total", {
  description: "Streams that ended, by why: `left` is a reader that closed, `too_slow` one that was cut",
  incremental: true
})

export const countEnd = (code: string) => Metric.update(Metric.withAttributes(ends, { code }), 1)
