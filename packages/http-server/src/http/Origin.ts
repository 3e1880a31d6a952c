/**
 * Keeps pages of other origins from using a browser's credentials.
 */
import { Context, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { refuse } from "./Refusal.ts"
import * as RequestHeaders from "./RequestHeaders.ts"

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
 * **Limits** the own origin is known by its host: a proxy in front may speak another scheme.
 */
export const check = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const [origin, ...more] = RequestHeaders.valuesOf(request, "origin")
  if (origin === undefined) return
  const allowed = yield* AllowedOrigins
  const own = isOwn(origin, RequestHeaders.valuesOf(request, "host"))
  if (more.length === 0 && (own || allowed.includes(origin))) return
  return yield* refuse("origin_forbidden", { detail: "the page's origin may not call this server", field: "Origin" })
})

/** **Shape** a browser leaves a scheme's own port out, a proxy may write it into the `Host`: both are the same host. */
const isOwn = (origin: string, hosts: ReadonlyArray<string>): boolean => {
  const [host, ...more] = hosts
  const page = URL.parse(origin)
  if (host === undefined || more.length > 0 || page === null || !/^https?:$/.test(page.protocol)) return false
  // Whatever is more than a host, such as a path or a user, stays in the address and makes it another text.
  return page.origin === origin && URL.parse(`${page.protocol}//${host}`)?.href === `${origin}/`
}
