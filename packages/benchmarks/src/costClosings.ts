/**
 * Closes hours of a cluster, one after the other, and prints a line for each closed hour. Runs until killed.
 *
 * Arguments: the directory of the history, the number of workloads, the number of hours already closed.
 */
import { CostStore } from "@quarterdeck/cost/CostStore"
import { layerSqlite } from "@quarterdeck/cost/store/Sqlite"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Schema, Stdio } from "effect"
import * as History from "./cost/history.ts"

const Arguments = Schema.Tuple([Schema.String, Schema.FiniteFromString, Schema.FiniteFromString])

const closer = Effect.gen(function* () {
  const { args } = yield* Stdio.Stdio
  const [directory, workloads, closed] = yield* Schema.decodeUnknownEffect(Arguments)(yield* args)
  const history = History.make({ workloads, clusters: 1 })
  for (let index = 0; index < closed; index++) history.hourOf(0, index)
  yield* Effect.gen(function* () {
    const store = yield* CostStore
    for (let index = closed; ; index++) {
      yield* store.close(history.hourOf(0, index))
      yield* Console.log(index)
    }
  }).pipe(Effect.provide(layerSqlite({ directory })))
})

NodeRuntime.runMain(Effect.provide(closer, NodeServices.layer))
