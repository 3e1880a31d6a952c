/**
 * Static replies, compressed once and cacheable by clients.
 *
 * **Source** RFC 9110, "Accept-Encoding" and "Conditional Requests"; RFC 9111.
 */
import { Effect, type Types } from "effect"
import { Headers, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import * as EntityTag from "../request/EntityTag.ts"

const compress = promisify(gzip)

/** Time for which a client may use its copy without revalidation, and so may show an old one after an upgrade. */
const MAX_AGE_SECONDS = 300

interface Entity {
  readonly gzipped: Uint8Array
  /** Weak, because both encodings share the tag. */
  readonly etag: string
}

const entityOf = async (body: Uint8Array): Promise<Entity> => ({
  gzipped: await compress(body, { level: 9 }),
  etag: EntityTag.weak(body)
})

/**
 * Middleware that compresses the body of a route once, and replies 304 to a client that already has it.
 *
 * **Shape** the route must return the same `Uint8Array` each time.
 */
export const layer = HttpRouter.middleware(
  Effect.sync(() => {
    const entities = new WeakMap<Uint8Array, Promise<Entity>>()
    const entity = (body: Uint8Array) => {
      const known = entities.get(body) ?? entityOf(body)
      entities.set(body, known)
      return known
    }
    const reply = Effect.fnUntraced(function* (response: HttpServerResponse.HttpServerResponse) {
      const { body } = response
      if (response.status !== 200 || body._tag !== "Uint8Array") return response
      const { headers } = yield* HttpServerRequest.HttpServerRequest
      const { etag, gzipped } = yield* Effect.promise(() => entity(body.body))
      const caching = { "cache-control": `public, max-age=${MAX_AGE_SECONDS}`, etag, vary: "Accept-Encoding" }
      const ofEach = { ...Headers.removeMany(response.headers, ["content-length", "content-type"]), ...caching }
      if (EntityTag.isKnown(headers["if-none-match"], etag))
        return HttpServerResponse.empty({ status: 304, headers: ofEach })
      if (!takesGzip(headers["accept-encoding"])) return HttpServerResponse.setHeaders(response, caching)
      return HttpServerResponse.uint8Array(gzipped, {
        contentType: body.contentType,
        headers: { ...ofEach, "content-encoding": "gzip" }
      })
    })
    return (route: Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>) =>
      Effect.flatMap(route, reply)
  })
).layer

/** Returns true if a client accepts gzip. **Shape** named as gzip, x-gzip or `*`, with a quality above 0. */
const takesGzip = (acceptEncoding: string | undefined): boolean => {
  const qualities = new Map(
    (acceptEncoding ?? "").split(",").map((item) => {
      const [name = "", ...parameters] = item.split(";").map((part) => part.trim().toLowerCase())
      const quality = parameters.find((parameter) => parameter.startsWith("q="))
      return [name, quality === undefined ? 1 : Number(quality.slice(2))] as const
    })
  )
  return (qualities.get("gzip") ?? qualities.get("x-gzip") ?? qualities.get("*") ?? 0) > 0
}
