/**
 * Client address and scheme of a request, from the settings, trusted proxies and the connection.
 */
import { Context, Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"
import { TLSSocket } from "node:tls"
import * as ClientAddress from "../../limits/ClientAddress.ts"
import * as ForwardedScheme from "../../limits/ForwardedScheme.ts"
import * as HeaderLines from "./HeaderLines.ts"

/** URL at which browsers reach the server, if a proxy in front of the server hides it. */
export const PublicUrl = Context.Reference<string | undefined>("@quarterdeck/http-server/PublicUrl", {
  defaultValue: () => undefined
})

/**
 * Makes the functions that read the connection of a request.
 *
 * **Shape** the scheme is the one that a trusted proxy sends, else HTTPS if the connection is encrypted, else undefined. If
 * the public URL is HTTPS, every request is secure. Forwarding headers of an untrusted peer are ignored.
 */
export const make = Effect.gen(function* () {
  const trustedProxies = yield* ClientAddress.TrustedProxies
  const find = ClientAddress.finder(trustedProxies)
  const isSecureInPublic = (yield* PublicUrl)?.startsWith("https:") ?? false

  const connectionOf = (peer: string | undefined, valuesOf: ValuesOf, isEncrypted: boolean) => {
    // Without trusted proxies, forwarding headers are ignored and need not be read.
    const read: ValuesOf = trustedProxies.length === 0 ? () => [] : valuesOf
    const { client, proxies } = find(peer, read("x-forwarded-for"))
    const told = ForwardedScheme.of(read("x-forwarded-proto"), proxies)
    const scheme = told ?? (isEncrypted ? "https" : undefined)
    return { clientAddress: client, scheme, isSecure: isSecureInPublic || scheme === "https" }
  }

  return {
    of: (request: HttpServerRequest.HttpServerRequest) =>
      connectionOf(
        Option.getOrUndefined(request.remoteAddress),
        (name) => HeaderLines.valuesOf(request, name),
        isEncrypted(request.source)
      ),
    /** As `of`, for a request of `node:http`. */
    ofNode: (request: IncomingMessage) =>
      connectionOf(request.socket.remoteAddress, (name) => request.headersDistinct[name] ?? [], isEncrypted(request))
  }
})

/** Returns the value of each line of a header. **Shape** the name is in lower case. */
type ValuesOf = (name: string) => ReadonlyArray<string>

const isEncrypted = (source: unknown): boolean =>
  source instanceof IncomingMessage
    ? source.socket instanceof TLSSocket
    : source instanceof Request && source.url.startsWith("https:")
