/**
 * A client with one keep-alive connection.
 */
import { Effect } from "effect"
import { Agent, request } from "node:http"
import { timed } from "../claim/Measure.ts"
import { ProgramFailed } from "./Programs.ts"

/** Sends a request, to all clusters unless one is named. **Errors** any status other than 200. */
export type Ask = (path: string, cluster?: string) => Effect.Effect<string, ProgramFailed>

/** Opens a connection to a loopback port until the scope closes. */
export const connect = (port: number, key: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Agent({ keepAlive: true, maxSockets: 1 })),
      (agent) => Effect.sync(() => agent.destroy())
    ),
    (agent): Ask =>
      (path, cluster = "*") =>
        send(agent, port, path, { authorization: `Bearer ${key}`, "x-service-cluster": cluster })
  )

const send = (
  agent: Agent,
  port: number,
  path: string,
  headers: Readonly<Record<string, string>>
): Effect.Effect<string, ProgramFailed> =>
  Effect.callback((resume) => {
    const fail = (problem: string) => resume(Effect.fail(new ProgramFailed({ problem })))
    const outgoing = request({ port, host: "127.0.0.1", path, agent, headers }, (incoming) => {
      const chunks: Array<Buffer> = []
      incoming.on("data", (chunk: Buffer) => chunks.push(chunk))
      incoming.on("error", (error) => fail(error.message))
      incoming.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8")
        if (incoming.statusCode === 200) resume(Effect.succeed(text))
        else fail(`${incoming.statusCode} for ${path}: ${text.slice(0, 300)}`)
      })
    })
    outgoing.on("error", (error) => fail(error.message))
    outgoing.end()
    return Effect.sync(() => outgoing.destroy())
  })

/** Repeats a request while an effect runs, with a short pause in between. **Shape** returns the latencies in milliseconds. */
export const beside = <A, E, R>(ask: Ask, path: string, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const tookMs: Array<number> = []
    const once = Effect.flatMap(timed(ask(path)), ([ms]) => Effect.sync(() => tookMs.push(ms)))
    const asking = Effect.forever(Effect.andThen(once, Effect.sleep("5 millis")))
    const value = yield* Effect.raceFirst(effect, asking)
    return { value, tookMs }
  })
