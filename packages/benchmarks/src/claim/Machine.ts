/**
 * What the figures were taken on, and how idle it was.
 */
import { cpus, loadavg, totalmem, type } from "node:os"
import { Effect } from "effect"

const GIB = 1024 ** 3

/** Says the machine and the versions in one line. */
export const describeMachine: Effect.Effect<string> = Effect.sync(() => {
  const processors = cpus()
  const model = processors[0]?.model.trim() ?? "unknown processor"
  return `${processors.length} × ${model}, ${Math.round(totalmem() / GIB)} GiB, ${type()}, Node ${process.version}`
})

/** Says how many processes wanted a processor in the last minute. */
export const describeLoad: Effect.Effect<string> = Effect.sync(() => {
  const [minute = 0] = loadavg()
  return `${minute.toFixed(1)} runnable on ${cpus().length} processors in the minute before`
})
