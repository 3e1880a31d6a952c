/** Warns of keys that would cross a network unencrypted. */
import { Effect } from "effect"
import { BlockList, isIPv6 } from "node:net"

const loopback = new BlockList()
loopback.addSubnet("127.0.0.0", 8, "ipv4")
loopback.addAddress("::1", "ipv6")

/** Tells whether an IP address is of this machine alone. */
const isLoopback = (address: string): boolean => loopback.check(address, isIPv6(address) ? "ipv6" : "ipv4")

/** Logs a warning for a listener without TLS that other machines can reach. **Shape** `host` is the address that it has. */
export const warn = ({ host, url }: { readonly host: string; readonly url: string }): Effect.Effect<void> =>
  isLoopback(host)
    ? Effect.void
    : Effect.logWarning(
        `${url} is plain HTTP that others can reach, so keys cross the network unencrypted: set server.tls, or listen on 127.0.0.1 behind a proxy of this machine that speaks HTTPS`
      )
