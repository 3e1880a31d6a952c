/**
 * A load over several connections. Each sends its next request as soon as it has an answer.
 */
import { Clock, Effect } from "effect"
import { Agent, request } from "node:http"
import { timed } from "../claim/Measure.ts"

/** The parameters of a load. `keyOf` returns the key for a call of a connection. */
export interface Load {
  readonly url: string
  readonly localAddress: string
  readonly connections: number
  readonly keyOf: (connection: number, call: number) => string
  readonly seconds: number
}

/** The latencies of a load in milliseconds, by status. */
export type Answered = ReadonlyMap<number, ReadonlyArray<number>>

const ask = (url: string, agent: Agent, localAddress: string, key: string): Effect.Effect<number, Error> =>
  Effect.callback((resume) => {
    const headers = { authorization: `Bearer ${key}` }
    const outgoing = request(url, { agent, localAddress, headers }, (incoming) => {
      incoming.on("error", (error) => resume(Effect.fail(error)))
      incoming.on("end", () => resume(Effect.succeed(incoming.statusCode ?? 0)))
      incoming.resume()
    })
    outgoing.on("error", (error) => resume(Effect.fail(error)))
    outgoing.end()
    return Effect.sync(() => outgoing.destroy())
  })

/** Runs a load until its time is over. **Errors** broken connections. */
export const run = Effect.fnUntraced(function* ({ connections, keyOf, localAddress, seconds, url }: Load) {
  const agent = yield* Effect.acquireRelease(
    Effect.sync(() => new Agent({ keepAlive: true, maxSockets: connections })),
    (open) => Effect.sync(() => open.destroy())
  )
  const endMs = (yield* Clock.currentTimeMillis) + seconds * 1_000
  const answered = new Map<number, Array<number>>()
  const askOn = Effect.fnUntraced(function* (connection: number) {
    for (let call = 0; (yield* Clock.currentTimeMillis) < endMs; call++) {
      const [tookMs, status] = yield* timed(ask(url, agent, localAddress, keyOf(connection, call)))
      const known = answered.get(status)
      if (known === undefined) answered.set(status, [tookMs])
      else known.push(tookMs)
    }
  })
  yield* Effect.forEach(Array.from({ length: connections }).keys(), askOn, { concurrency: connections, discard: true })
  const whole: Answered = answered
  return whole
}, Effect.scoped)
