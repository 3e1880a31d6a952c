/**
 * The cookie that holds a browser's session.
 */
import * as SessionId from "@quarterdeck/keys/SessionId"
import { Duration, Effect, Option, Redacted } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Cookie from "./Cookie.ts"
import * as HeaderLines from "./HeaderLines.ts"
import { CurrentRequest } from "./RequestRecord.ts"

const NAME = "qd_session"

/**
 * The session cookie of a request.
 *
 * **Shape** `Absent`: no session cookie; `Repeated`: several, so none is trusted; `Unknown`: the value is not a session id.
 */
export type Presented =
  | { readonly _tag: "Absent" }
  | { readonly _tag: "Repeated" }
  | { readonly _tag: "Unknown" }
  | { readonly _tag: "Present"; readonly id: SessionId.SessionId }

/**
 * Reads the session cookie. If `secure`, reads only the name with the `__Host-` prefix; otherwise only the name without
 * it.
 */
export const read = (cookieHeaders: ReadonlyArray<string>, secure: boolean): Presented => {
  const [value, ...more] = Cookie.valuesOf(cookieHeaders, NAME, secure)
  if (value === undefined) return { _tag: "Absent" }
  if (more.length > 0) return { _tag: "Repeated" }
  return Option.match(SessionId.fromText(value), {
    onNone: (): Presented => ({ _tag: "Unknown" }),
    onSome: (id) => ({ _tag: "Present", id })
  })
}

/** Reads the session cookie of the current request. */
export const current = Effect.gen(function* () {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { isSecure } = yield* CurrentRequest
  return read(HeaderLines.valuesOf(request, "cookie"), isSecure)
})

/** Prints the `Set-Cookie` of a session. */
export const print = (id: SessionId.SessionId, lasts: Duration.Duration, secure: boolean): string =>
  Cookie.print({ name: NAME, value: Redacted.value(id), lasts, sameSite: "Strict" }, secure)

/** Prints the `Set-Cookie` that deletes the session cookie. */
export const forget = (secure: boolean): string =>
  Cookie.print({ name: NAME, value: "", lasts: Duration.zero, sameSite: "Strict" }, secure)
