/**
 * Protects an MCP server on the user's own machine against DNS rebinding by web pages.
 */
import { Context, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"
import { isIPv6 } from "node:net"
import { isLoopback } from "../../limits/Loopback.ts"
import { refuse } from "../refusal/Refusal.ts"
import * as HeaderLines from "../request/HeaderLines.ts"
import { PublicUrl } from "../request/RequestConnection.ts"

/** Address that the server listens on, and additional hosts that it accepts. */
export const McpHosts = Context.Reference("@quarterdeck/http-server/McpHosts", {
  defaultValue: (): { readonly listensOn: string; readonly allowed: ReadonlyArray<string> } => ({
    listensOn: "127.0.0.1",
    allowed: []
  })
})

/**
 * Fails if a request over loopback names a foreign host.
 *
 * **Shape** accepted hosts are loopback names, the host of `server.publicUrl`, and `server.allowedHosts`. Requests over
 * other addresses are not checked.
 *
 * **Errors** `host_forbidden`, also without a `Host`.
 *
 * **Source** Model Context Protocol, "Transports", security warning on DNS rebinding.
 */
export const check = Effect.gen(function* () {
  const { allowed, listensOn } = yield* McpHosts
  const request = yield* HttpServerRequest.HttpServerRequest
  if (!isLoopback(listensOn) || !cameOverLoopback(request)) return
  const host = hostOf(HeaderLines.valuesOf(request, "host")[0])
  const own = URL.parse((yield* PublicUrl) ?? "")?.hostname
  if (host !== undefined && (isLoopback(host) || host === own || allowed.some((name) => hostOf(name) === host))) return
  return yield* refuse("host_forbidden", {
    detail: "Host: must name this server; add further names to the setting server.allowedHosts",
    field: "Host"
  })
})

/** Checks the socket's local address, because a host application may listen on another address than the settings say. */
const cameOverLoopback = ({ source }: HttpServerRequest.HttpServerRequest): boolean => {
  const address = source instanceof IncomingMessage ? source.socket.localAddress : undefined
  return address === undefined || isLoopback(address.replace(/^::ffff:/, ""))
}

/** Returns a host as URLs write it, without its port; `undefined` if it is malformed. */
const hostOf = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined
  const spelled = isIPv6(text) ? `[${text}]` : text
  return URL.parse(`http://${spelled}`)?.hostname
}
