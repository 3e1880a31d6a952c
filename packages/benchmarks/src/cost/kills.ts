/**
 * Kills a process that closes hours again and again. Each reported hour must be stored completely.
 */
import { Hour, Measure, Series } from "@quarterdeck/cost"
import { CostStore } from "@quarterdeck/cost/CostStore"
import { check, layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import { HOUR_MS } from "@quarterdeck/cost/Units"
import { Console, Effect, Random, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { fileURLToPath } from "node:url"
import type { Claim } from "../claim/Claim.ts"
import type { Extent } from "../claim/Suite.ts"
import * as History from "./history.ts"
import * as Service from "./service.ts"

const CLOSER = fileURLToPath(new URL("../costClosings.ts", import.meta.url))
const HOURS = 100
/** Maximum delay of a kill. It spans a few closings, which take a few milliseconds each. */
const LATEST_MS = 20

export const kills = Effect.fnUntraced(function* ({ quick }: Extent) {
  const workloads = quick ? 2_000 : 10_000
  const each = quick ? 25 : 5
  yield* Console.error(`${HOURS} hours of ${workloads} workloads closed by processes that are killed`)
  const directory = yield* Service.temporary
  const history = History.make({ workloads, clusters: 1 })
  const expected: Array<Hour.Hour> = []
  let kept = 0
  let killed = 0
  let wrong = 0
  while (kept < HOURS) {
    const answered = yield* closedUntilKilled([directory, String(workloads), String(kept)], each)
    killed++
    const hours = yield* Effect.provide(hoursOf(history), layerSqlite({ directory }))
    while (expected.length < hours.length) expected.push(history.hourOf(0, expected.length))
    const lost = Math.max(0, kept + answered - hours.length)
    wrong += lost + hours.filter((hour, index) => !isSame(hour, expected[index])).length
    kept = Math.max(kept, hours.length)
  }
  const { findings } = yield* check({ directory })
  const claim: Claim = {
    claim: `hours lost or half, of ${kept} closed by processes that kill -9 ended`,
    ours: { value: wrong + findings.length, unit: "count" },
    goal: { _tag: "absolute", atMost: 0 },
    note: `${killed} kills, each at a random moment; every hour read back and compared after each`
  }
  return [claim]
})

/** Runs a process until it has closed some hours, then kills it after a random delay. Returns the number of reported hours. */
const closedUntilKilled = (args: ReadonlyArray<string>, hours: number) =>
  Effect.scoped(
    Effect.gen(function* () {
      const child = yield* ChildProcess.make(process.execPath, ["--conditions=@quarterdeck/source", CLOSER, ...args], {
        stderr: "inherit"
      })
      let answered = 0
      const end = Effect.gen(function* () {
        yield* Effect.sleep(yield* Random.nextIntBetween(0, LATEST_MS))
        yield* child.kill({ killSignal: "SIGKILL" })
      })
      yield* child.stdout.pipe(
        Stream.decodeText(),
        Stream.splitLines,
        Stream.runForEach(() => {
          answered++
          return answered === hours ? Effect.forkScoped(end) : Effect.void
        })
      )
      return answered
    })
  )

const hoursOf = ({ startMs }: Service.Fleet) =>
  CostStore.use((store) => store.hours(History.clusterName(0), { startMs, endMs: startMs + 10 * HOURS * HOUR_MS }))

const isSame = (one: Hour.Hour, other: Hour.Hour | undefined): boolean =>
  other !== undefined
  && one.startMs === other.startMs
  && one.knownSeconds === other.knownSeconds
  && one.series.length === other.series.length
  && one.series.every((series, place) => {
    const expected = other.series[place]
    return expected !== undefined && Series.keyOf(series) === Series.keyOf(expected)
  })
  && Measure.measures.every((measure) =>
    one.columns[measure].every((value, place) => value === other.columns[measure][place])
  )
