/**
 * Where a request comes from and by which scheme: what settings, trusted proxies and the connection itself tell.
 */
import { Context, Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"
import { TLSSocket } from "node:tls"
import * as ClientAddress from "../../limits/ClientAddress.ts"
import * as ForwardedScheme from "../../limits/ForwardedScheme.ts"
import * as HeaderLines from "./HeaderLines.ts"

/** The address that browsers reach the server at, where the server cannot know it: behind a proxy. */
export const PublicUrl = Context.Reference<string | undefined>("@quarterdeck/http-server/PublicUrl", {
  defaultValue: () => undefined
})

/**
 * Makes the reader of connections.
 *
 * **Shape** the scheme is the one that a trusted proxy tells, else HTTPS where the connection is. A public address of HTTPS
 * makes every request secure. What a peer says that is no trusted proxy is not read.
 */
export const make = Effect.gen(function* () {
  const trustedProxies = yield* ClientAddress.TrustedProxies
  const find = ClientAddress.finder(trustedProxies)
  const isSecureInPublic = (yield* PublicUrl)?.startsWith("https:") ?? false

  const connectionOf = (peer: string | undefined, valuesOf: ValuesOf, isEncrypted: boolean) => {
    // Without a trusted proxy nobody is believed, and nothing need be read.
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
    /** Reads the connection of a request that Node itself hands over, as `of` does. */
    ofNode: (request: IncomingMessage) =>
      connectionOf(request.socket.remoteAddress, (name) => request.headersDistinct[name] ?? [], isEncrypted(request))
  }
})

/** Gives every value that a header was sent with. **Shape** the name in lower case. */
type ValuesOf = (name: string) => ReadonlyArray<string>

const isEncrypted = (source: unknown): boolean =>
  source instanceof IncomingMessage
    ? source.socket instanceof TLSSocket
    : source instanceof Request && source.url.startsWith("https:")
