/**
 * The dashboard at `/`: the built files of the package `@quarterdeck/dashboard`.
 */
import { Context, Effect, FileSystem, Option, Path, type PlatformError, Schema } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { randomBytes } from "node:crypto"
import { fileURLToPath } from "node:url"
import { IdentityClient } from "../../services/IdentityClient.ts"
import * as ContentSecurityPolicy from "./ContentSecurityPolicy.ts"
import * as PageRoute from "./PageRoute.ts"
import { TargetOptions } from "../guard/ResolvedRequest.ts"

const DASHBOARD_PATH = "/" as const
const ASSET_PATH = "/assets/:name" as const

/** Path of the built page. The folder `assets` is beside it. */
export const DashboardPage = Context.Reference<string>("@quarterdeck/http-server/DashboardPage", {
  defaultValue: () => fileURLToPath(import.meta.resolve("@quarterdeck/dashboard/index.html"))
})

/** The dashboard's files exist but cannot be read. */
export class DashboardUnreadable extends Schema.TaggedError<DashboardUnreadable>()("DashboardUnreadable", {
  path: Schema.String,
  cause: Schema.Defect()
}) {
  override get message(): string {
    return `the dashboard cannot be read: ${this.path}`
  }
}

/** Placeholder in the page for the nonce of the reply. */
const NONCE = "QUARTERDECK_NONCE"
/** Placeholder in the page for the kind of sign-in: `provider` or `key`. */
const SIGN_IN = "QUARTERDECK_SIGN_IN"

/** Placeholder in the page for the configured name of the cluster header. */
const CLUSTER_HEADER = "QUARTERDECK_CLUSTER_HEADER"

/** Names of assets contain a hash of their content, so a cached copy is never stale. */
const FOR_EVER = "public, max-age=31536000, immutable"

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2"
}

interface Asset {
  readonly mediaType: string
  /** The content for each `Content-Encoding`. */
  readonly bodies: ReadonlyMap<string, Uint8Array>
}

/** Content codings and their file endings, in the order of preference. */
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
  ["identity", ""]
] as const

/**
 * Returns true if a client accepts a coding. `q=0` refuses a coding; `*` is ignored.
 *
 * **Source** RFC 9110 §12.5.3, as far as browsers use it.
 */
const accepts = (header: string, coding: string): boolean =>
  coding === "identity"
  || header.split(",").some((part) => {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase())
    return name === coding && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })

/**
 * Makes the routes of the page and its assets.
 *
 * **Shape** if the package is not built, the page says how to build it.
 *
 * **Errors** `DashboardUnreadable`. **Limits** all files are in memory, compressed and uncompressed.
 */
export const routes = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const page = yield* DashboardPage
  const failed = (cause: PlatformError.PlatformError) => new DashboardUnreadable({ path: page, cause })

  if (!(yield* files.exists(page).pipe(Effect.mapError(failed)))) {
    return [PageRoute.make(DASHBOARD_PATH, () => Effect.succeed(NOT_BUILT))]
  }
  const hasProvider = Option.isSome(yield* Effect.serviceOption(IdentityClient))
  const { header } = yield* TargetOptions
  const built = yield* files.readFileString(page).pipe(Effect.mapError(failed))
  // A header name is a token, so it needs no escaping in an HTML attribute.
  const html = built.replace(CLUSTER_HEADER, () => header).replace(SIGN_IN, hasProvider ? "provider" : "key")
  const folder = path.join(path.dirname(page), "assets")
  const names = yield* files.readDirectory(folder).pipe(Effect.mapError(failed))
  const assets = new Map<string, Asset>()
  for (const name of names) {
    const mediaType = MEDIA_TYPES[path.extname(name)]
    if (mediaType === undefined) continue
    const bodies = new Map<string, Uint8Array>()
    for (const [coding, ending] of ENCODINGS) {
      const file = `${name}${ending}`
      if (names.includes(file))
        bodies.set(coding, yield* files.readFile(path.join(folder, file)).pipe(Effect.mapError(failed)))
    }
    assets.set(name, { mediaType, bodies })
  }
  return [
    PageRoute.make(DASHBOARD_PATH, (request) => Effect.sync(() => redirectOf(request) ?? pageOf(html))),
    ...[...assets].map(([name, asset]) =>
      PageRoute.make(
        `/assets/${name}`,
        (request) => Effect.sync(() => assetOf(asset, request.headers["accept-encoding"] ?? "")),
        ASSET_PATH
      )
    )
  ]
})

const pageOf = (html: string): HttpServerResponse.HttpServerResponse => {
  const nonce = randomBytes(16).toString("base64")
  return HttpServerResponse.text(html.replaceAll(NONCE, nonce), {
    contentType: "text/html; charset=utf-8",
    headers: ContentSecurityPolicy.ofNonce(nonce)
  })
}

/**
 * Redirects a mount path without a trailing slash. The page names its files relative to itself and so needs the slash.
 *
 * Hosts that strip a prefix from the URL keep the original URL in the request.
 */
const redirectOf = ({ originalUrl, source }: HttpServerRequest.HttpServerRequest) => {
  const whole = "originalUrl" in source && typeof source.originalUrl === "string" ? source.originalUrl : originalUrl
  const [path = "/"] = whole.split("?")
  if (path.endsWith("/")) return undefined
  return HttpServerResponse.redirect(`./${path.slice(path.lastIndexOf("/") + 1)}/`, { status: 308 })
}

const assetOf = ({ bodies, mediaType }: Asset, accepted: string): HttpServerResponse.HttpServerResponse => {
  const [coding, body] = ENCODINGS.flatMap(([coding]) => {
    const body = bodies.get(coding)
    return body !== undefined && accepts(accepted, coding) ? [[coding, body] as const] : []
  })[0] ?? ["identity", new Uint8Array()]
  return HttpServerResponse.uint8Array(body, {
    contentType: mediaType,
    headers: {
      "cache-control": FOR_EVER,
      vary: "accept-encoding",
      ...(coding === "identity" ? {} : { "content-encoding": coding })
    }
  })
}

const NOT_BUILT = HttpServerResponse.text(
  `<!doctype html><html lang="en"><title>Quarterdeck</title>
<h1>The dashboard is not built</h1>
<p>The server runs from its sources. Build the pages with <code>pnpm dashboard:build</code>, then restart the server.</p>
<p>The API is available: see <a href="docs">its documentation</a>.</p></html>
`,
  {
    status: 503,
    contentType: "text/html; charset=utf-8",
    headers: ContentSecurityPolicy.ofText
  }
)
