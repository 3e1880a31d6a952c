/**
 * A history of a large fleet: how long a report of all of it takes, and in how much memory.
 */
import { HOUR_MS } from "@quarterdeck/cost/Units"
import { Console, Effect, Schema } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { fileURLToPath } from "node:url"
import type { Claim } from "../Claim.ts"
import type { Extent } from "../Suite.ts"
import * as History from "./history.ts"
import * as Service from "./service.ts"

const PROBE = fileURLToPath(new URL("../costScale.ts", import.meta.url))

/** V8 gives new objects up to 130 MB of room while the machine has it, and can be told not to. */
const SMALL_NURSERY = "--max-semi-space-size=8"

/** What the process of its own prints. */
export const Probed = Schema.Struct({
  firstMs: Schema.Finite,
  ms: Schema.Finite,
  megabytes: Schema.Finite,
  turnMs: Schema.Finite
})

export const scale = Effect.fnUntraced(function* ({ quick }: Extent) {
  const size = quick ? { workloads: 10_000, clusters: 20 } : { workloads: 100_000, clusters: 20 }
  const hours = quick ? 30 : 720
  yield* Console.error(`${hours} hours of ${size.workloads} workloads, written once and read in a process of its own`)
  const directory = yield* Service.temporary
  const endMs = yield* Service.recentEnd
  const startMs = endMs - hours * HOUR_MS
  yield* Service.fill(directory, History.make({ ...size, startMs }), hours)

  const args = [directory, String(size.clusters), String(startMs), String(endMs)]
  const asItIs = yield* probe([], args)
  const small = yield* probe([SMALL_NURSERY], args)
  const note = `${hours} hours, ${size.clusters} clusters`
  return [
    {
      claim: `a report of the whole fleet: totals of ${size.workloads}, the dearest 500 as rows`,
      ours: { value: asItIs.ms, unit: "ms" },
      goal: { _tag: "absolute", atMost: 150 },
      note: `${note}; the first, with nothing in memory, ${asItIs.firstMs.toFixed(0)} ms; longest turn ${asItIs.turnMs.toFixed(1)} ms`
    },
    {
      claim: "memory of the process that reports, V8 as it is",
      ours: { value: asItIs.megabytes, unit: "MB" },
      goal: { _tag: "absolute", atMost: 500 },
      note: "resident, at most"
    },
    {
      claim: `the same, node ${SMALL_NURSERY}`,
      ours: { value: small.megabytes, unit: "MB" },
      goal: { _tag: "absolute", atMost: 500 },
      note: `a report takes ${small.ms.toFixed(0)} ms then`
    }
  ] satisfies ReadonlyArray<Claim>
})

/** Reports in a process of its own. */
const probe = Effect.fnUntraced(function* (flags: ReadonlyArray<string>, args: ReadonlyArray<string>) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const printed = yield* spawner.string(
    ChildProcess.make(process.execPath, ["--conditions=source", ...flags, PROBE, ...args])
  )
  return yield* Schema.decodeEffect(Schema.fromJsonString(Probed))(printed.trim())
})
