/**
 * API documentation at `/openapi.json` and `/docs`. Both work without access to the internet.
 */
import { Api } from "@quarterdeck/contract/Api"
import * as Document from "@quarterdeck/contract/Document"
import { Effect, Layer, Option, Scope } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { HttpApiSwagger, OpenApi } from "effect/http-api"
import * as CachedReply from "./CachedReply.ts"
import { Deadlines } from "../lists/ListPage.ts"
import * as MountPath from "../request/MountPath.ts"
import * as ContentSecurityPolicy from "./ContentSecurityPolicy.ts"
import { TargetOptions } from "../guard/ResolvedRequest.ts"

export const OPENAPI_PATH = "/openapi.json" as const
export const DOCS_PATH = "/docs" as const

/**
 * Serves the OpenAPI document with the configured names and bounds, and a page that shows the document.
 *
 * **Shape** both are made for their first request: the document is slow to make, and the page is large.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { header } = yield* TargetOptions
    const { maxTimeoutMs, timeoutMs } = yield* Deadlines
    const documentAt = (server: string) => Document.make({ server, header, timeoutMs, maxTimeoutMs })
    // The page uses a relative server URL, which browsers resolve behind every proxy. Other clients may not resolve it.
    const document = yield* Effect.cached(Effect.sync(() => documentAt(".")))
    const beside = yield* Effect.cached(Effect.map(document, (json) => HttpServerResponse.jsonUnsafe(json)))
    const page = yield* Effect.cached(
      Effect.flatMap(document, pageOf).pipe(Scope.provide(yield* Effect.scope), Effect.uninterruptible)
    )
    // A host mounts the service at one path, so only the document of the last path is cached.
    let mounted: { readonly path: string; readonly response: HttpServerResponse.HttpServerResponse } | undefined
    const responseAt = (path: string) => {
      if (mounted?.path !== path) mounted = { path, response: HttpServerResponse.jsonUnsafe(documentAt(path)) }
      return mounted.response
    }
    return Layer.mergeAll(
      HttpRouter.add(
        "GET",
        OPENAPI_PATH,
        Effect.flatMap(
          MountPath.find,
          Option.match({ onNone: () => beside, onSome: (path) => Effect.sync(() => responseAt(path)) })
        )
      ),
      HttpRouter.add("GET", DOCS_PATH, Effect.flatten(page)).pipe(Layer.provide(ContentSecurityPolicy.layer))
    ).pipe(Layer.provide(CachedReply.layer))
  })
)

/** Makes the handler of the page that shows a document. */
const pageOf = (document: ReturnType<typeof Document.make>) =>
  HttpRouter.toHttpEffect(
    HttpApiSwagger.layer(
      Api.annotate(OpenApi.Transform, () => document),
      { path: DOCS_PATH }
    )
  )
