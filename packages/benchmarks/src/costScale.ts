/**
 * Runs reports on a cost history in a separate process, to measure its memory. Prints one line of JSON.
 *
 * Arguments: the directory of the history, its sizes, the end of its last closed hour.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Schema, Stdio } from "effect"
import { median, timed } from "./claim/Measure.ts"
import * as History from "./cost/history.ts"
import { fromMsOf, Probed, Sizes, TURNS } from "./cost/scale.ts"
import * as Service from "./cost/service.ts"
import * as Turns from "./cost/turns.ts"

const PAGE = 500
const BYTES_PER_MB = 1_000_000

const probe = Effect.gen(function* () {
  const { args } = yield* Stdio.Stdio
  const [directory = "", given = ""] = yield* args
  const sizes = yield* Schema.decodeEffect(Schema.fromJsonString(Sizes))(given)
  const history = History.make({ ...sizes, startMs: fromMsOf(sizes, 0) })
  const { report } = yield* Service.open(directory, Service.openHoursOf(history, sizes.hours))
  const ask = (turn: number) =>
    Effect.flatMap(Service.question(history.names, fromMsOf(sizes, turn), PAGE), (query) => report.getWorkloads(query))
  const [firstMs, { aggregatedWorkloads, totals }] = yield* timed(ask(0))
  let mostBytes = process.memoryUsage.rss()
  const took: Array<number> = []
  const turns: Array<number> = []
  for (let turn = 1; turn <= TURNS; turn++) {
    const [ms] = yield* timed(ask(turn))
    took.push(ms)
    turns.push((yield* Turns.longest(ask(TURNS + turn))).busy)
    mostBytes = Math.max(mostBytes, process.memoryUsage.rss())
  }
  const figures = {
    firstMs,
    ms: median(took),
    megabytes: mostBytes / BYTES_PER_MB,
    turnMs: median(turns),
    rows: aggregatedWorkloads,
    totals
  }
  yield* Console.log(yield* Schema.encodeEffect(Schema.fromJsonString(Probed))(figures))
})

NodeRuntime.runMain(Effect.scoped(probe).pipe(Effect.provide(NodeServices.layer)))
