/**
 * Asks over some connections for a while, and prints how many answers there were of each status.
 *
 * Called with the address, how many connections, for how many seconds, and the keys; without keys each call guesses one.
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
