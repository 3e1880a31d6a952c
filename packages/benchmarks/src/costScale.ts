/**
 * Reports from a cost history in a process of its own, so that its memory can be told. Prints one line of JSON.
 *
 * Called with the history's directory, how many clusters, and the window's ends.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Schema, Stdio } from "effect"
import { median, timed } from "./Measure.ts"
import { clusterName } from "./cost/history.ts"
import { Probed } from "./cost/scale.ts"
import * as Service from "./cost/service.ts"
import * as Turns from "./cost/turns.ts"

const TIMES = 15
const PAGE = 500
const BYTES_PER_MB = 1_000_000

const Arguments = Schema.Tuple([
  Schema.String,
  Schema.FiniteFromString,
  Schema.FiniteFromString,
  Schema.FiniteFromString
])

const probe = Effect.gen(function* () {
  const { args } = yield* Stdio.Stdio
  const [directory, clusters, startMs, endMs] = yield* Schema.decodeUnknownEffect(Arguments)(yield* args)
  const { report } = yield* Service.open(directory)
  const names = Array.from({ length: clusters }, (_, cluster) => clusterName(cluster))
  const whole = report.getWorkloads(Service.question(names, { startMs, endMs }, PAGE))
  const [firstMs] = yield* timed(whole)
  let mostBytes = process.memoryUsage.rss()
  const took: Array<number> = []
  const turns: Array<number> = []
  for (let turn = 0; turn < TIMES; turn++) {
    const [ms] = yield* timed(whole)
    took.push(ms)
    turns.push((yield* Turns.longest(whole)).busy)
    mostBytes = Math.max(mostBytes, process.memoryUsage.rss())
  }
  const figures = { firstMs, ms: median(took), megabytes: mostBytes / BYTES_PER_MB, turnMs: median(turns) }
  yield* Console.log(yield* Schema.encodeEffect(Schema.fromJsonString(Probed))(figures))
})

NodeRuntime.runMain(Effect.scoped(probe).pipe(Effect.provide(NodeServices.layer)))
