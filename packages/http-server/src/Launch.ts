/**
 * Runs the service on a socket of its own, until it is told to stop.
 */
import { Context, Effect, Layer } from "effect"
import * as Listener from "./Listener.ts"
import { Quarterdeck } from "./Quarterdeck.ts"
import { isLoopback } from "./limits/Loopback.ts"
import type { Settings } from "./settings/Settings.ts"
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
      if (tls === undefined) yield* warnOfPlainHttp(listener)
      const services = yield* Layer.build(Quarterdeck.layerSettings(settings))
      const { endStreams, nodeHandler } = Context.get(services, Quarterdeck)
      yield* listener.serve(nodeHandler)
      yield* Effect.addFinalizer(() => endStreams)
      yield* Effect.logInfo(`listening on ${listener.url}`)
      return yield* Effect.never
    })
  ).pipe(Effect.provide(Telemetry.layer(settings.telemetry)))

/** Logs a warning for a listener without TLS that other machines can reach. **Shape** `host` is the address that it has. */
const warnOfPlainHttp = ({ host, url }: { readonly host: string; readonly url: string }): Effect.Effect<void> =>
  isLoopback(host)
    ? Effect.void
    : Effect.logWarning(
        `${url} is plain HTTP that others can reach, so keys cross the network unencrypted: set server.tls, or listen on 127.0.0.1 behind a proxy of this machine that speaks HTTPS`
      )
