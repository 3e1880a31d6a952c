/**
 * Keeps pages of other origins from using a browser's credentials.
 *
 * @since 0.1.0
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
 * **Errors** `origin_forbidden`, also for `null` and for an `Origin` that was sent twice.
 *
 * **Limits** the own origin is known by its host: a proxy in front may speak another scheme.
 *
 * @since 0.1.0
 */
export const check = Effect.gen(function*() {
  const request = yield* HttpServerRequest.HttpServerRequest
  const [origin, ...more] = RequestHeaders.valuesOf(request, "origin")
  if (origin === undefined) return
  const allowed = yield* AllowedOrigins
  const own = URL.canParse(origin) && new URL(origin).host === request.headers["host"]
  if (more.length === 0 && (own || allowed.includes(origin))) return
  return yield* refuse("origin_forbidden", { detail: "the page's origin may not call this server", field: "Origin" })
})
