/**
 * Closing hours, against inserting their rows in SQLite, and the room that they take.
 */
import { CostStore } from "@quarterdeck/cost/CostStore"
import { layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import { Console, Context, Effect, FileSystem, Layer, Path } from "effect"
import type { Claim } from "../Claim.ts"
import { median, pairs, timed } from "../Measure.ts"
import * as History from "./history.ts"
import * as Peers from "./peers.ts"
import * as Service from "./service.ts"
import * as Turns from "./turns.ts"

const WORKLOADS = 10_000
/** After a day's hours the room that they take is told. */
const DAY_HOURS = 24
/** The first ones name the series, and compile what the later ones run. */
const WARM = 12
const MEASURED = 36

export const closings = Effect.fnUntraced(function* () {
  yield* Console.error(`${WARM + MEASURED} hours of ${WORKLOADS} workloads closed one by one`)
  const path = yield* Path.Path
  const directory = yield* Service.temporary
  const history = History.make({ workloads: WORKLOADS, clusters: 1 })
  const rows = yield* Peers.sampleRows(path.join(directory, "rows.sqlite"), Peers.usedMeasures(history.hourOf(0, 0)))
  const hours = Array.from({ length: WARM + MEASURED }, (_, index) => history.hourOf(0, index))
  const { pair, turns } = yield* Effect.scoped(
    Effect.gen(function* () {
      const store = Context.get(yield* Layer.build(layerSqlite({ directory })), CostStore)
      const [next, nextRows] = [hours.values(), hours.values()]
      const close = Effect.suspend(() => store.close(next.next().value ?? history.hourOf(0, hours.length)))
      const insert = Effect.sync(() => rows.insert(nextRows.next().value ?? history.hourOf(0, hours.length), 0))
      const turns: Array<Turns.Turn> = []
      for (let warm = 0; warm < WARM; warm++) {
        turns.push(yield* Turns.longest(close))
        yield* insert
      }
      const ms = <A, E>(effect: Effect.Effect<A, E>) => Effect.map(timed(effect), ([took]) => took)
      return { turns, pair: yield* pairs(MEASURED, ms(close), ms(insert)) }
    })
  )
  return [
    {
      claim: `closing one hour of ${WORKLOADS} workloads`,
      ours: { value: pair.ours, unit: "ms" },
      peer: { name: "inserting its rows in SQLite", value: pair.peer, unit: "ms" },
      goal: { _tag: "ratio", atMost: 0.25 },
      note: `one transaction each, both wait for the disk; median of ${MEASURED}`
    },
    {
      claim: "event loop held up by the first closing, which names all series",
      ours: { value: turns[0]?.busy ?? Number.NaN, unit: "ms" },
      goal: { _tag: "absolute", atMost: 20 },
      note: `longest turn, processor time; of the closings after it ${median(turns.slice(1).map(({ busy }) => busy)).toFixed(1)} ms`
    },
    yield* room()
  ] satisfies ReadonlyArray<Claim>
})

const room = Effect.fnUntraced(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const directory = yield* Service.temporary
  yield* Service.fill(directory, History.make({ workloads: WORKLOADS, clusters: 1 }), DAY_HOURS)
  const { size } = yield* files.stat(path.join(directory, "cost.sqlite"))
  const claim: Claim = {
    claim: `bytes kept a workload and hour, after ${DAY_HOURS} h`,
    ours: { value: Number(size) / WORKLOADS / DAY_HOURS, unit: "bytes" },
    goal: { _tag: "absolute", atMost: 40 },
    note: "the whole file, with names, labels and recommendations; eight doubles and a byte would be 65"
  }
  return claim
})
