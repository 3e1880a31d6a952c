/**
 * A load generator that prints the number of answers per status.
 *
 * Arguments: the address, the number of connections, the seconds, the keys. Without keys, each call sends a random guess.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, Schema, Stdio } from "effect"
import * as Connections from "./limits/Connections.ts"

const Arguments = Schema.TupleWithRest(
  Schema.Tuple([Schema.String, Schema.FiniteFromString, Schema.FiniteFromString]),
  [Schema.String]
)

const load = Effect.gen(function* () {
  const { args } = yield* Stdio.Stdio
  const [url, connections, seconds, ...keys] = yield* Schema.decodeUnknownEffect(Arguments)(yield* args)
  const answered = yield* Connections.run({
    url,
    localAddress: "127.0.0.1",
    connections,
    keyOf: (connection, call) => keys[connection % keys.length] ?? `guess-${connection}-${call}`,
    seconds
  })
  yield* Console.log(JSON.stringify(Object.fromEntries([...answered].map(([status, { length }]) => [status, length]))))
})

NodeRuntime.runMain(Effect.provide(load, NodeServices.layer))
