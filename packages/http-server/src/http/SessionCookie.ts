/**
 * The cookie that holds a browser's session.
 */
import * as SessionId from "@quarterdeck/keys/SessionId"
import { Context, Duration, Option, Redacted } from "effect"
import type { HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"
import { TLSSocket } from "node:tls"
import * as Cookie from "./Cookie.ts"
import * as RawHeaders from "./RawHeaders.ts"

const NAME = "qd_session"

/** The address that browsers reach the server at, where the server cannot know it: behind a proxy. */
export const PublicUrl = Context.Reference<string | undefined>("@quarterdeck/http-server/PublicUrl", {
  defaultValue: () => undefined
})

/** **Shape** `Absent`: no such cookie; `Repeated`: several, of which none can be trusted; `Unknown`: no id looks like it. */
export type Presented =
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Repeated" }
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Present"; readonly id: SessionId.SessionId }

/** Tells whether a request came by HTTPS: over the listener's own TLS, or a public address says so. */
export const isSecure = (request: HttpServerRequest.HttpServerRequest, publicUrl: string | undefined): boolean => {
  if (publicUrl !== undefined) return publicUrl.startsWith("https:")
  const { source } = request
  if (source instanceof IncomingMessage) return source.socket instanceof TLSSocket
  return source instanceof Request && source.url.startsWith("https:")
}

/** Reads the cookie that {@link print} sets for such a request; the other name is not looked at. */
export const read = (cookieHeaders: ReadonlyArray<string>, secure: boolean): Presented => {
  const [value, ...more] = Cookie.valuesOf(cookieHeaders, NAME, secure)
  if (value === undefined) return { _tag: "Absent" }
  if (more.length > 0) return { _tag: "Repeated" }
  return Option.match(SessionId.fromText(value), {
    onNone: (): Presented => ({ _tag: "Unknown" }),
    onSome: (id) => ({ _tag: "Present", id })
  })
}

/** Reads the cookie of a request. */
export const of = (request: HttpServerRequest.HttpServerRequest, publicUrl: string | undefined): Presented =>
  read(RawHeaders.valuesOf(request, "cookie"), isSecure(request, publicUrl))

/** Writes the `Set-Cookie` of a session. */
export const print = (id: SessionId.SessionId, lasts: Duration.Duration, secure: boolean): string =>
  Cookie.print({ name: NAME, value: Redacted.value(id), lasts, sameSite: "Strict" }, secure)

/** Writes the `Set-Cookie` that makes a browser forget its session. */
export const forget = (secure: boolean): string =>
  Cookie.print({ name: NAME, value: "", lasts: Duration.zero, sameSite: "Strict" }, secure)
