/**
 * Keeps pages of other origins from using a browser's credentials.
 */
import { Context, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { Scheme } from "../../limits/ForwardedScheme.ts"
import { refuse } from "../refusal/Refusal.ts"
import * as HeaderLines from "../request/HeaderLines.ts"
import { PublicUrl } from "../request/RequestConnection.ts"
import { CurrentRequest } from "../request/RequestRecord.ts"

/** Origins, other than the server's own, that may call the server. **Example** `https://ops.example.com` */
export const AllowedOrigins = Context.Reference<ReadonlyArray<string>>("@quarterdeck/http-server/AllowedOrigins", {
  defaultValue: () => []
})

/**
 * Fails unless the request has no `Origin`, the server's own origin, or an allowed one.
 *
 * **Errors** `origin_forbidden`, also for the origin `null` and for a repeated `Origin`. The server's own origin is
 * refused if `Host` is missing, repeated or malformed.
 *
 * **Limits** over plain HTTP the own origin is compared by host alone, because an unconfigured proxy may terminate TLS.
 * If a trusted proxy sends the scheme, the scheme is compared too.
 */
export const check = Effect.gen(function* () {
  const { isAllowed, isSent } = yield* sent
  if (!isSent || isAllowed) return
  return yield* refused
})

/**
 * Fails unless the request has the server's own origin. Writes with a session may only come from the server's pages.
 *
 * **Errors** `origin_forbidden`, also without an `Origin` and for an allowed foreign origin.
 */
export const requireOwn = Effect.gen(function* () {
  const { isOwn } = yield* sent
  if (!isOwn) return yield* refused
})

const refused = refuse("origin_forbidden", { detail: "the page's origin may not call this server", field: "Origin" })

/** Classifies the `Origin` of the current request. */
const sent = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const [origin, ...more] = HeaderLines.valuesOf(request, "origin")
  const allowed = yield* AllowedOrigins
  const publicUrl = yield* PublicUrl
  const { scheme } = yield* CurrentRequest
  if (origin === undefined) return { isSent: false, isOwn: false, isAllowed: false }
  const isOwn =
    more.length === 0
    && (isOfHost(origin, HeaderLines.valuesOf(request, "host"), scheme)
      || (publicUrl !== undefined && URL.parse(publicUrl)?.origin === origin))
  return { isSent: true, isOwn, isAllowed: isOwn || (more.length === 0 && allowed.includes(origin)) }
})

/**
 * Returns true if an origin has the request's host. A browser omits the default port of the scheme and a proxy may add
 * the port to `Host`; both forms match.
 */
const isOfHost = (origin: string, hosts: ReadonlyArray<string>, scheme: Scheme | undefined): boolean => {
  const [host, ...more] = hosts
  const page = URL.parse(origin)
  if (host === undefined || more.length > 0 || page === null || !/^https?:$/.test(page.protocol)) return false
  if (scheme !== undefined && page.protocol !== `${scheme}:`) return false
  // A `Host` with a path or a user yields a longer URL, which does not equal the origin.
  return page.origin === origin && URL.parse(`${page.protocol}//${host}`)?.href === `${origin}/`
}
