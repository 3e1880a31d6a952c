/**
 * A process of many prefilled clusters that writes to them on command.
 *
 * Arguments: a `Filling` of src/fleet/Filling.ts, and a file. The program writes its port and a kubeconfig into the file.
 *
 * Commands are request paths:
 * - `/churn` starts to create, delete and change deployments.
 * - `/write?perSecond=` does the same, with the time of each write in a label.
 * - `/calm` stops the writes and returns their number.
 * - `/scale?cluster=&name=&namespace=&replicas=` changes one deployment.
 * - `/slow` delays each answer by the filling's `delayMs`.
 * - `/hold` makes the clusters unreachable, `/open` reachable.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect, Schema, Stdio } from "effect"
import { createServer } from "node:http"
import * as Clusters from "./fleet/Clusters.ts"
import * as Control from "./fleet/Control.ts"
import { Filling } from "./fleet/Filling.ts"
import { port, say } from "./load/Ready.ts"

const Arguments = Schema.Tuple([Schema.fromJsonString(Filling), Schema.String])

const serve = Effect.gen(function* () {
  const { args } = yield* Stdio.Stdio
  const [filling, ready] = yield* Schema.decodeUnknownEffect(Arguments)(yield* args)
  const clusters = yield* Clusters.make(filling)
  const answer = yield* Control.make(clusters, filling.deployments)
  const control = createServer((request, response) => {
    void answer(new URL(request.url ?? "/", "http://127.0.0.1")).then((told) => response.end(JSON.stringify(told)))
  })
  const controlPort = yield* Effect.promise(() => port(control))
  yield* Effect.sync(() => say(ready, { controlPort, kubeconfig: clusters.kubeconfig }))
  return yield* Effect.never
})

NodeRuntime.runMain(Effect.scoped(serve).pipe(Effect.provide(NodeServices.layer)))
