/**
 * Replies that are the same for every caller until the program changes: compressed once, and kept by who asks.
 *
 * **Source** RFC 9110, "Accept-Encoding" and "Conditional Requests"; RFC 9111.
 */
import { Effect, type Types } from "effect"
import { Headers, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import * as EntityTag from "../request/EntityTag.ts"

const compress = promisify(gzip)

/** How long a reply is used without asking again: as long as an old one may be shown after an upgrade. */
const MAX_AGE_SECONDS = 300

interface Entity {
  readonly gzipped: Uint8Array
  /** Weak, since it is that of both encodings. */
  readonly etag: string
}

const entityOf = async (body: Uint8Array): Promise<Entity> => ({
  gzipped: await compress(body, { level: 9 }),
  etag: EntityTag.weak(body)
})

/**
 * Serves the routes that it is provided to from what was compressed once.
 *
 * **Shape** such a route gives the same body, as one value, each time. Who has it already is told so: 304.
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

/** Tells whether a caller takes gzip. **Shape** named itself, or as `*`, and not with the quality 0. */
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
