/**
 * Where a request comes from and by which scheme: what settings, trusted proxies and the connection itself tell.
 */
import { Context, Effect, Option } from "effect"
import type { HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"
import { TLSSocket } from "node:tls"
import * as ClientAddress from "../limits/ClientAddress.ts"
import * as ForwardedScheme from "../limits/ForwardedScheme.ts"
import * as RawHeaders from "./RawHeaders.ts"

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
  const find = ClientAddress.finder(yield* ClientAddress.TrustedProxies)
  const isSecureInPublic = (yield* PublicUrl)?.startsWith("https:") ?? false

  return (request: HttpServerRequest.HttpServerRequest) => {
    const peer = Option.getOrUndefined(request.remoteAddress)
    const { client, proxies } = find(peer, RawHeaders.valuesOf(request, "x-forwarded-for"))
    const told = ForwardedScheme.of(RawHeaders.valuesOf(request, "x-forwarded-proto"), proxies)
    const scheme = told ?? (isEncrypted(request) ? "https" : undefined)
    return { clientAddress: client, scheme, isSecure: isSecureInPublic || scheme === "https" }
  }
})

const isEncrypted = ({ source }: HttpServerRequest.HttpServerRequest): boolean =>
  source instanceof IncomingMessage
    ? source.socket instanceof TLSSocket
    : source instanceof Request && source.url.startsWith("https:")
