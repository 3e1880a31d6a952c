/** Warns of keys that would cross a network unencrypted. */
import { Effect } from "effect"
import { isLoopback } from "../limits/Loopback.ts"

/** Logs a warning for a listener without TLS that other machines can reach. **Shape** `host` is the address that it has. */
export const warn = ({ host, url }: { readonly host: string; readonly url: string }): Effect.Effect<void> =>
  isLoopback(host)
    ? Effect.void
    : Effect.logWarning(
        `${url} is plain HTTP that others can reach, so keys cross the network unencrypted: set server.tls, or listen on 127.0.0.1 behind a proxy of this machine that speaks HTTPS`
      )
