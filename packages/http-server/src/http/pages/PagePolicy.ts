/**
 * Content-Security-Policy of pages that carry their scripts and styles inline.
 *
 * **Source** Content Security Policy Level 3.
 */
import { Effect, type Types } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { hash } from "node:crypto"

const SCRIPT = /<script([^>]*)>([\s\S]*?)<\/script>/g
const STYLE = /<style[^>]*>([\s\S]*?)<\/style>/g
/** A block of data is no script, and is not run. */
const DATA = /\btype="application\/json"/

/** Lets a page run the scripts and use the styles that it carries, and talk to its own server alone. */
const ofPage = (html: string): string => {
  const scripts = [...html.matchAll(SCRIPT)].filter(([, attributes = ""]) => !DATA.test(attributes))
  // What stands in a script is no style of the page.
  const styles = [...html.replaceAll(SCRIPT, "").matchAll(STYLE)]
  return [
    "default-src 'none'",
    `script-src ${scripts.map(([, , text = ""]) => hashOf(text)).join(" ")}`,
    `style-src ${styles.map(([, text = ""]) => hashOf(text)).join(" ")}`,
    "style-src-attr 'none'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'"
  ].join("; ")
}

const hashOf = (text: string): string => `'sha256-${hash("sha256", text, "base64")}'`

/** Adds the policy to the pages of the routes that it is provided to; such a route gives the same body each time. */
export const layer = HttpRouter.middleware(
  Effect.sync(() => {
    const policies = new WeakMap<Uint8Array, string>()
    const policyOf = (page: Uint8Array): string => {
      const policy = policies.get(page) ?? ofPage(new TextDecoder().decode(page))
      policies.set(page, policy)
      return policy
    }
    const protect = (response: HttpServerResponse.HttpServerResponse) =>
      response.body._tag === "Uint8Array"
        ? HttpServerResponse.setHeader(response, "content-security-policy", policyOf(response.body.body))
        : response
    return (route: Effect.Effect<HttpServerResponse.HttpServerResponse, Types.unhandled>) => Effect.map(route, protect)
  })
).layer
