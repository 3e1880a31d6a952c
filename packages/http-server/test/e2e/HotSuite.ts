/** What suites of the hot way share: a service with a clock that can be stopped, and the ordinary way beside it. */
import { NodeHttpServer } from "@effect/platform-node"
import { layer } from "@effect/vitest"
import { Embedded, Seed } from "@quarterdeck/harness"
import { Effect, Logger, Metric } from "effect"
import * as HitRecorder from "../../src/http/hot/HitRecorder.ts"
import * as Listener from "../../src/Listener.ts"
import { type Call, Deployment, type DeploymentOptions, send } from "./Deployment.ts"
import * as MovableClock from "./MovableClock.ts"

export const WITHIN = { within: "20 seconds", every: "10 millis" } as const

/** How many requests the hot way answered in this process. */
export const hits = Effect.map(Metric.value(HitRecorder.hits), ({ count }) => count)

/** What a reply is made of, but for the moment at which Node sent it. */
export const bytesOf = ({
  headers: { date: _date, ...headers },
  status,
  text
}: Effect.Success<ReturnType<typeof send>>) => JSON.stringify([status, Object.entries(headers), text])

/** Serves the same service over a socket that has the ordinary way alone. */
export const ordinary = Effect.gen(function* () {
  const { app } = yield* Deployment
  const handler = yield* NodeHttpServer.makeHandler(app, { scope: yield* Effect.scope }).pipe(
    Effect.provideService(Logger.CurrentLoggers, new Set())
  )
  const { url } = yield* Listener.listen(handler, { host: "127.0.0.1", port: 0, shutdownMs: 1_000 })
  return (path: string, call: Call) => send(`${url}${path}`, call)
})

/** A suite of its own clusters, service and clock. */
export const suite = (options: Partial<DeploymentOptions> = {}) => {
  const clock = MovableClock.make()
  const deployed = Deployment.layer({
    driver: Embedded.driver,
    limits: clock.services,
    prepare: (fleet) => Seed.fill(fleet),
    ...options
  })
  return { clock, it: layer(deployed, { timeout: "60 seconds", excludeTestServices: true }) }
}

const ids: Call["headers"] = [["X-Request-Id", "both-ways"]]
export const withId = (call: Call): Call => ({ ...call, headers: [...(call.headers ?? []), ...ids] })
