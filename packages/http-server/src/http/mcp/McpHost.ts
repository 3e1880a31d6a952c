/**
 * Keeps web pages from reaching an MCP server of the own machine by a name that they made point at it.
 */
import { Context, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"
import { isIPv6 } from "node:net"
import { isLoopback } from "../../limits/Loopback.ts"
import { refuse } from "../refusal/Refusal.ts"
import * as HeaderLines from "../request/HeaderLines.ts"
import { PublicUrl } from "../request/RequestConnection.ts"

/** The address that the server listens on, and the hosts that it answers to beside its own. */
export const McpHosts = Context.Reference("@quarterdeck/http-server/McpHosts", {
  defaultValue: (): { readonly listensOn: string; readonly allowed: ReadonlyArray<string> } => ({
    listensOn: "127.0.0.1",
    allowed: []
  })
})

/**
 * Lets a request pass that came over loopback by a name of the server's own.
 *
 * **Shape** its own are loopback's, that of `server.publicUrl`, and those of `server.allowedHosts`; a server that listens on
 * another address is not asked by names that pages make.
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
    detail: "Host: must name this server; the setting server.allowedHosts takes more names",
    field: "Host"
  })
})

/** A host's own server may listen elsewhere than the settings say: then its socket tells. */
const cameOverLoopback = ({ source }: HttpServerRequest.HttpServerRequest): boolean => {
  const address = source instanceof IncomingMessage ? source.socket.localAddress : undefined
  return address === undefined || isLoopback(address.replace(/^::ffff:/, ""))
}

/** Spells a host as addresses do, without its port; `undefined` for what is none. */
const hostOf = (text: string | undefined): string | undefined => {
  if (text === undefined) return undefined
  const spelled = isIPv6(text) ? `[${text}]` : text
  return URL.parse(`http://${spelled}`)?.hostname
}
