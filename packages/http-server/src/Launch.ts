/**
 * Runs the service on its own socket.
 */
import { Context, Effect, Layer } from "effect"
import * as Listener from "./Listener.ts"
import { Quarterdeck } from "./Quarterdeck.ts"
import { isLoopback } from "./limits/Loopback.ts"
import type { Settings } from "./settings/Settings.ts"
import * as Telemetry from "./services/Telemetry.ts"

/**
 * Starts the service and serves until the fiber is interrupted. Replies in flight are then finished. If a part cannot
 * start, the parts already started are closed.
 *
 * **Errors** every reason why the service cannot start. An error message has one line per problem.
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

/** Logs a warning for a listener without TLS that other machines can reach. **Shape** `host` is the bound address. */
const warnOfPlainHttp = ({ host, url }: { readonly host: string; readonly url: string }): Effect.Effect<void> =>
  isLoopback(host)
    ? Effect.void
    : Effect.logWarning(
        `${url} is plain HTTP that other machines can reach, so keys cross the network unencrypted: set server.tls, or listen on 127.0.0.1 behind an HTTPS proxy on this machine`
      )
