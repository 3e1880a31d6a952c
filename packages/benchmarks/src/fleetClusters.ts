/**
 * Many full clusters in a process of their own, which write when they are told to.
 *
 * Called with what they hold, see `Filling` of src/fleet/Filling.ts, and the file that it writes its port and a kubeconfig
 * into. `/churn` begins to create, delete and change deployments, `/write?perSecond=` does so too, with the moment of each write
 * in a label, and `/calm` ends that and tells how many writes there were;
 * `/scale?cluster=&name=&namespace=&replicas=` writes one. `/slow` makes each
 * answer come so long after its request as the filling says, `/open` lets clusters be reached that the filling has held, and `/hold` holds them again.
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
