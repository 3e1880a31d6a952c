/**
 * Closing hours (building, pricing, storing and recommending), compared with inserting their rows into SQLite, and the
 * storage that they take.
 */
import { Hour, HourBuilder, PriceHistory, Recommender, HourCosts } from "@quarterdeck/cost"
import { CostStore } from "@quarterdeck/cost/CostStore"
import { layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import { Console, Context, Effect, FileSystem, Layer, Path } from "effect"
import type { Claim } from "../claim/Claim.ts"
import * as Difference from "../claim/Difference.ts"
import { median, pairs, timed } from "../claim/Measure.ts"
import type { Extent } from "../claim/Suite.ts"
import * as Facts from "./hourFacts.ts"
import * as History from "./history.ts"
import * as Samples from "./samples.ts"
import * as Service from "./service.ts"
import * as SqlRows from "./sqlRows.ts"
import * as Turns from "./turns.ts"

const HOUR_MS = 3_600_000
const START_MS = Date.UTC(2026, 2, 2)
const BILLION = 1e9
/** Number of hours after which the storage is measured. */
const DAY_HOURS = 24
const ROOM_WORKLOADS = 10_000

/** Sizes of a run. The first `warm` hours are a warm-up, in which the series get their names and the code is compiled. */
const sizesOf = ({ quick }: Extent) =>
  quick ? { workloads: 2_000, warm: 3, times: 8 } : { workloads: 10_000, warm: 12, times: 36 }

/** Durations of each step in milliseconds, one per hour. */
interface Steps {
  readonly build: Array<number>
  readonly price: Array<number>
  readonly keep: Array<number>
  readonly recommend: Array<number>
}

const built = (facts: Parameters<typeof HourBuilder.build>[0]): Hour.Hour => HourBuilder.build(facts)

const priced = (hour: Hour.Hour): Hour.Hour => {
  const ratesOver = PriceHistory.ratesOver(PriceHistory.initial)
  return HourCosts.reprice(hour, (subject) =>
    ratesOver(subject, { startMs: hour.startMs, endMs: hour.startMs + HOUR_MS })
  )
}

export const closings = Effect.fnUntraced(function* (extent: Extent) {
  const sizes = sizesOf(extent)
  const { times, warm, workloads } = sizes
  const facts = Facts.make(workloads, START_MS)
  yield* Console.error(`${warm + times} hours of ${workloads} workloads with ${facts.pods} pods closed one by one`)
  const path = yield* Path.Path
  const directory = yield* Service.temporary
  const sqlRows = yield* SqlRows.open(path.join(directory, "rows.sqlite"))
  const services = yield* Layer.build(
    Recommender.Recommender.layer.pipe(Layer.provideMerge(layerSqlite({ directory })))
  )
  const store = Context.get(services, CostStore)
  const recommender = Context.get(services, Recommender.Recommender)
  const steps: Steps = { build: [], price: [], keep: [], recommend: [] }
  const noted = <A, E, R>(step: keyof Steps, effect: Effect.Effect<A, E, R>) =>
    Effect.map(timed(effect), ([ms, value]) => {
      steps[step].push(ms)
      return value
    })
  const turns: Array<Turns.Turn> = []
  const close = Effect.fnUntraced(function* (turn: number) {
    const seen = facts.factsOf(turn)
    const closing = Effect.gen(function* () {
      const hour = yield* noted(
        "build",
        Effect.sync(() => built(seen))
      )
      const withCosts = yield* noted(
        "price",
        Effect.sync(() => priced(hour))
      )
      yield* noted("keep", store.close(withCosts))
      yield* noted("recommend", recommender.fold(HourBuilder.usageOf(seen)))
    })
    // Measures turns of the event loop only in warm-up hours, because the measurement takes time itself.
    if (turn >= warm) return yield* timed(closing)
    turns.push(yield* Turns.longest(closing))
    return [0, undefined] as const
  })
  const insert = Effect.fnUntraced(function* (turn: number) {
    const { columns, startMs } = priced(built(facts.factsOf(turn)))
    return yield* timed(Effect.sync(() => sqlRows.insert(startMs, columns, 0)))
  })
  const pair = yield* pairs(sizes, { ours: close, peer: insert })

  const window = { startMs: START_MS, endMs: START_MS + (warm + times) * HOUR_MS }
  const [sums] = yield* store.sums([History.clusterName(0)], window)
  const size = sums?.series.length ?? 0
  const kept = Samples.perFact((fact) => sums?.columns[fact] ?? new Float64Array(0))
  const difference = Difference.between(totalsOf(kept), totalsOf(sqlRows.hourly(window, size)))
  return [...claimsOf(sizes, { pair, steps, turns, difference, pods: facts.pods }), yield* room()]
})

/** Sums each fact over all series, because the service stores series in another order. */
const totalsOf = (sums: Samples.Sums) =>
  Samples.perFact((fact) => sums[fact].reduce((total, value) => total + value, 0))

interface Measured {
  readonly pair: { readonly ours: number; readonly peer: number }
  readonly steps: Steps
  readonly turns: ReadonlyArray<Turns.Turn>
  readonly difference: number
  readonly pods: number
}

const PEER = "inserting its rows in SQLite"

const claimsOf = (
  { times, warm, workloads }: ReturnType<typeof sizesOf>,
  { difference, pair, pods, steps, turns }: Measured
): ReadonlyArray<Claim> => {
  const medianOf = (step: keyof Steps) => median(steps[step].slice(warm))
  const told = (["build", "price", "keep", "recommend"] as const).map(
    (step) => `${step} ${medianOf(step).toFixed(1)} ms`
  )
  return [
    {
      claim: `closing one hour of ${workloads} workloads: built, priced, kept, recommended`,
      ours: { value: pair.ours, unit: "ms" },
      peer: { name: PEER, value: pair.peer, unit: "ms" },
      goal: { _tag: "ratio", atMost: 0.25 },
      note: `${pods} pods with usage by the minute; ${told.join(", ")}; median of ${times}`
    },
    {
      claim: "keeping it alone",
      ours: { value: medianOf("keep"), unit: "ms" },
      peer: { name: PEER, value: pair.peer, unit: "ms" },
      goal: { _tag: "ratio", atMost: 0.25 },
      note: "one transaction each, both wait for the disk"
    },
    {
      claim: "kept hours agree with the rows inserted, parts of a billion",
      ours: { value: difference * BILLION, unit: "count" },
      goal: { _tag: "absolute", atMost: 1 },
      note: "every quantity and cost, over all hours"
    },
    {
      claim: "event loop held up by the first closing, which names all series",
      ours: { value: turns[0]?.busy ?? Number.NaN, unit: "ms" },
      goal: { _tag: "absolute", atMost: 20 },
      note: `longest turn, processor time; of the closings after it ${median(turns.slice(1).map(({ busy }) => busy)).toFixed(1)} ms`
    }
  ]
}

const room = Effect.fnUntraced(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = yield* Service.temporary
  yield* Service.fill(directory, History.make({ workloads: ROOM_WORKLOADS, clusters: 1 }), DAY_HOURS)
  const { size } = yield* files.stat(path.join(directory, "cost.sqlite"))
  const claim: Claim = {
    claim: `bytes kept a workload and hour, after ${DAY_HOURS} h`,
    ours: { value: Number(size) / ROOM_WORKLOADS / DAY_HOURS, unit: "bytes" },
    goal: { _tag: "absolute", atMost: 40 },
    note: "the whole file, with names, labels and recommendations; eight doubles and a byte would be 65"
  }
  return claim
})
