/**
 * The duration and memory of a report on the history of a large fleet.
 */
import { CostRow, CostTotals } from "@quarterdeck/cost/CostRow"
import { Console, Effect, Schema } from "effect"
import { ChildProcess, ChildProcessSpawner } from "effect/process"
import { fileURLToPath } from "node:url"
import type { Claim } from "../claim/Claim.ts"
import * as Difference from "../claim/Difference.ts"
import type { Extent } from "../claim/Suite.ts"
import * as Expected from "./expected.ts"
import * as Figures from "./figures.ts"
import * as History from "./history.ts"
import * as Samples from "./samples.ts"
import * as Service from "./service.ts"

const PROBE = fileURLToPath(new URL("../costScale.ts", import.meta.url))
const HOUR_MS = 3_600_000
const PAGE = 500
const BILLION = 1e9
/** Number of reports to time, and of further reports to measure the longest turn of the event loop. */
export const TURNS = 15

/** Limits V8's space for new objects, which otherwise takes up to 130 MB. */
const SMALL_NURSERY = "--max-semi-space-size=8"

/** The size of a history, and the end of its last closed hour. */
export const Sizes = Schema.Struct({
  workloads: Schema.Int,
  clusters: Schema.Int,
  hours: Schema.Int,
  endMs: Schema.Int
})
type Sizes = typeof Sizes.Type

/** The output of the separate process. **Shape** rows and totals come from the first report, on the whole history. */
export const Probed = Schema.Struct({
  firstMs: Schema.Finite,
  ms: Schema.Finite,
  megabytes: Schema.Finite,
  turnMs: Schema.Finite,
  rows: Schema.Array(CostRow),
  totals: CostTotals
})

/** Returns the start of a turn's window. Each starts an hour later, so no window repeats. */
export const fromMsOf = ({ endMs, hours }: Sizes, turn: number): number => endMs - (hours - (turn % hours)) * HOUR_MS

export const scale = Effect.fnUntraced(function* ({ quick }: Extent) {
  const size = quick ? { workloads: 2_000, clusters: 20, hours: 48 } : { workloads: 100_000, clusters: 20, hours: 720 }
  const { hours, workloads } = size
  yield* Console.error(`${hours} hours of ${workloads} workloads, written once and read in a process of its own`)
  const directory = yield* Service.temporary
  const sizes = { ...size, endMs: yield* Service.recentEnd }
  const history = History.make({ ...size, startMs: fromMsOf(sizes, 0) })
  const closed = Samples.noSums(workloads)
  yield* Service.fill(directory, history, hours, ({ columns }, first) => addHour(closed, columns, first))
  const open = Samples.noSums(workloads)
  for (const [place, { columns }] of Service.openHoursOf(history, hours).entries()) {
    addHour(open, columns, place * history.each)
  }
  const named = Array.from({ length: workloads }, (_, workload) => Figures.named(workload, history.each))
  const expected = Expected.workloads(Expected.withOpen(closed, open), named, { limit: PAGE })

  const args = [directory, yield* Schema.encodeEffect(Schema.fromJsonString(Sizes))(sizes)]
  const asItIs = yield* probe([], args)
  const small = yield* probe([SMALL_NURSERY], args)
  const difference = Math.max(
    ...[asItIs, small].map(({ rows, totals }) => Difference.between({ rows, totals }, expected))
  )
  return claimsOf(sizes, { asItIs, small, difference })
})

/** Adds an hour to the sums of its workloads. `first` is the number of the hour's first workload; the others follow. */
const addHour = (sums: Samples.Sums, columns: Samples.Sums, first: number): void => {
  const samples = { keys: new Int32Array(columns.replicaSeconds.length).map((_, place) => first + place), columns }
  Samples.addUp(sums, samples, 0, samples.keys.length)
}

interface Measured {
  readonly asItIs: typeof Probed.Type
  readonly small: typeof Probed.Type
  readonly difference: number
}

const claimsOf = (
  { clusters, hours, workloads }: Sizes,
  { asItIs, difference, small }: Measured
): ReadonlyArray<Claim> => [
  {
    claim: `a report of the whole fleet: totals of ${workloads}, the ${PAGE} most expensive as rows`,
    ours: { value: asItIs.ms, unit: "ms" },
    goal: { _tag: "absolute", atMost: 150 },
    note: `${hours} hours less one more with each call, and an open one; ${clusters} clusters; the first, with nothing in memory, ${asItIs.firstMs.toFixed(0)} ms; longest turn ${asItIs.turnMs.toFixed(1)} ms`
  },
  {
    claim: "memory of the process that reports, V8 as it is",
    ours: { value: asItIs.megabytes, unit: "MB" },
    goal: { _tag: "absolute", atMost: 500 },
    note: "resident, at most; with the open hours of all clusters"
  },
  {
    claim: `the same, node ${SMALL_NURSERY}`,
    ours: { value: small.megabytes, unit: "MB" },
    goal: { _tag: "absolute", atMost: 500 },
    note: `a report takes ${small.ms.toFixed(0)} ms then`
  },
  {
    claim: "the first page and the totals agree with the same peer, parts of a billion",
    ours: { value: difference * BILLION, unit: "count" },
    goal: { _tag: "absolute", atMost: 1 },
    note: `${workloads * hours} samples`
  }
]

/** Runs the reports in a separate process. */
const probe = Effect.fnUntraced(function* (flags: ReadonlyArray<string>, args: ReadonlyArray<string>) {
  const spawner = yield* ChildProcessSpawner.ChildProcessSpawner
  const printed = yield* spawner.string(
    ChildProcess.make(process.execPath, ["--conditions=@quarterdeck/source", ...flags, PROBE, ...args])
  )
  return yield* Schema.decodeEffect(Schema.fromJsonString(Probed))(printed.trim())
})
