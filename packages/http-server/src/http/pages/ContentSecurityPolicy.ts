/**
 * Content-Security-Policy headers of the pages that the server sends.
 *
 * **Source** Content Security Policy Level 3.
 */
import { Effect, type Types } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"

const SCRIPT = /<script([^>]*)>([\s\S]*?)<\/script>/g
const STYLE = /<style[^>]*>([\s\S]*?)<\/style>/g
/** Matches a script element with data, which browsers do not run. */
const DATA = /\btype="application\/json"/

type Headers = Readonly<Record<"content-security-policy", string>>

const header = (directives: ReadonlyArray<string>): Headers => ({ "content-security-policy": directives.join("; ") })

/** Allowed sources of a page's scripts, styles and fonts. */
interface Sources {
  readonly script: string
  readonly style: string
  readonly font: string
}

/** Makes the policy of these sources. The page may connect only to its own server. */
const ofSources = ({ font, script, style }: Sources): Headers =>
  header([
    "default-src 'none'",
    `script-src ${script}`,
    `style-src ${style}`,
    "style-src-attr 'none'",
    "connect-src 'self'",
    "img-src 'self' data:",
    `font-src ${font}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ])

/** Header of a page without scripts and styles. */
export const ofText: Headers = header(["default-src 'none'", "frame-ancestors 'none'"])

/** Header of a page whose files come from its own server. **Shape** inline styles carry the nonce. */
export const ofNonce = (nonce: string): Headers =>
  ofSources({ script: "'self'", style: `'self' 'nonce-${nonce}'`, font: "'self'" })

/** Header of a page that carries its scripts and styles inline: it allows them by their hashes. */
const ofInline = (html: string): Headers => {
  const scripts = [...html.matchAll(SCRIPT)].filter(([, attributes = ""]) => !DATA.test(attributes))
  // Style elements inside a script are text, not styles.
  const styles = [...html.replaceAll(SCRIPT, "").matchAll(STYLE)]
  return ofSources({
    script: scripts.map(([, , text = ""]) => hashOf(text)).join(" "),
    style: styles.map(([, text = ""]) => hashOf(text)).join(" "),
    font: "'self' data:"
  })
}

const hashOf = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`

/** Middleware that adds the header to the page of a route. The route must return the same `Uint8Array` each time. */
export const layer = HttpRouter.middleware(
  Effect.sync(() => {
    const policies = new WeakMap<Uint8Array, Headers>()
    const policyOf = (page: Uint8Array): Headers => {
      const policy = policies.get(page) ?? ofInline(new TextDecoder().decode(page))
      policies.set(page, policy)
      return policy
    }
    const protect = (response: HttpServerResponse.HttpServerResponse) =>
      response.body._tag === "Uint8Array"
        ? HttpServerResponse.setHeaders(response, policyOf(response.body.body))
        : response
    return (route: Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>) => Effect.map(route, protect)
  })
).layer
