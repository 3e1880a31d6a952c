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

/** Origins beside the server's own that may call it. **Example** `https://ops.example.com` */
export const AllowedOrigins = Context.Reference<ReadonlyArray<string>>("@quarterdeck/http-server/AllowedOrigins", {
  defaultValue: () => []
})

/**
 * Lets a request pass that has no `Origin`, the server's own, or an allowed one.
 *
 * **Errors** `origin_forbidden`, also for `null`, for an `Origin` that was sent twice, and for one that would be the
 * server's own if the `Host` were not missing, sent twice or no host.
 *
 * **Limits** over plain HTTP the own origin is known by its host alone, unless a trusted proxy tells the scheme: one that
 * nobody named may stand in front and speak another.
 */
export const check = Effect.gen(function* () {
  const { isAllowed, isSent } = yield* sent
  if (!isSent || isAllowed) return
  return yield* refused
})

/**
 * Lets a request pass that says the server's own origin, and no other: what a session writes is asked for by its pages.
 *
 * **Errors** `origin_forbidden`, also without an `Origin` and for an allowed one.
 */
export const requireOwn = Effect.gen(function* () {
  const { isOwn } = yield* sent
  if (!isOwn) return yield* refused
})

const refused = refuse("origin_forbidden", { detail: "the page's origin may not call this server", field: "Origin" })

/** What a request says of its page. */
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
 * Tells whether an origin is the host of the request. A browser leaves out the default port of a scheme, a proxy may
 * write it into the `Host`: both are the same host.
 */
const isOfHost = (origin: string, hosts: ReadonlyArray<string>, scheme: Scheme | undefined): boolean => {
  const [host, ...more] = hosts
  const page = URL.parse(origin)
  if (host === undefined || more.length > 0 || page === null || !/^https?:$/.test(page.protocol)) return false
  if (scheme !== undefined && page.protocol !== `${scheme}:`) return false
  // Whatever is more than a host, such as a path or a user, stays in the address and makes it another text.
  return page.origin === origin && URL.parse(`${page.protocol}//${host}`)?.href === `${origin}/`
}
