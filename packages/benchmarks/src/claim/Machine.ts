/**
 * The machine of a run and its load.
 */
import { cpus, loadavg, totalmem, type } from "node:os"
import { Effect } from "effect"

const GIB = 1024 ** 3

/** Describes the machine and the versions in one line. */
export const describeMachine: Effect.Effect<string> = Effect.sync(() => {
  const processors = cpus()
  const model = processors[0]?.model.trim() ?? "unknown processor"
  return `${processors.length} × ${model}, ${Math.round(totalmem() / GIB)} GiB, ${type()}, Node ${process.version}`
})

/** Describes the load average of the last minute. */
export const describeLoad: Effect.Effect<string> = Effect.sync(() => {
  const [minute = 0] = loadavg()
  return `${minute.toFixed(1)} runnable on ${cpus().length} processors in the minute before`
})
