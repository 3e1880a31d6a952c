/**
 * API documentation at `/openapi.json` and `/docs`. Both work without access to the internet.
 */
import { Api } from "@quarterdeck/contract/Api"
import * as Document from "@quarterdeck/contract/Document"
import { Effect, Layer, Option } from "effect"
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
 * Serves the OpenAPI document, with this server's name of the cluster header and its default and maximum of
 * `timeoutMs`, and a page that shows the document.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { header } = yield* TargetOptions
    const { maxTimeoutMs, timeoutMs } = yield* Deadlines
    const documentAt = (server: string) => Document.make({ server, header, timeoutMs, maxTimeoutMs })
    // The page uses a relative server URL, which browsers resolve behind every proxy. Other clients may not resolve it.
    const document = documentAt(".")
    const beside = HttpServerResponse.jsonUnsafe(document)
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
        Effect.map(MountPath.find, Option.match({ onNone: () => beside, onSome: responseAt }))
      ),
      HttpApiSwagger.layer(
        Api.annotate(OpenApi.Transform, () => document),
        { path: DOCS_PATH }
      ).pipe(Layer.provide(ContentSecurityPolicy.layer))
    ).pipe(Layer.provide(CachedReply.layer))
  })
)
