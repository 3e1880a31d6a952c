/**
 * Runs the service on a socket of its own, until it is told to stop.
 */
import { Context, Effect, Layer } from "effect"
import * as Listener from "./Listener.ts"
import { Quarterdeck } from "./Quarterdeck.ts"
import type { Settings } from "./settings/Settings.ts"
import * as PlainHttp from "./services/PlainHttp.ts"
import * as Telemetry from "./services/Telemetry.ts"

/**
 * Starts everything, or nothing, and serves until it is interrupted; then replies in flight are finished first.
 *
 * **Errors** every reason why the service cannot start, each with a message of one line a problem.
 */
export const launch = (settings: Settings) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { host, port, shutdownMs, tls } = settings.server
      const listener = yield* Listener.bind({ host, port, shutdownMs, ...(tls === undefined ? {} : { tls }) })
      if (tls === undefined) yield* PlainHttp.warn(listener)
      const services = yield* Layer.build(Quarterdeck.layerSettings(settings))
      const { endStreams, nodeHandler } = Context.get(services, Quarterdeck)
      yield* listener.serve(nodeHandler)
      yield* Effect.addFinalizer(() => endStreams)
      yield* Effect.logInfo(`listening on ${listener.url}`)
      return yield* Effect.never
    })
  ).pipe(Effect.provide(Telemetry.layer(settings.telemetry)))
