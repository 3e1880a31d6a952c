/**
 * The cookie of a browser that is signing in at the identity provider.
 *
 * The cookie binds the provider's response to the browser that started the sign-in; a response from another browser is
 * refused. `SameSite=Lax`, because the provider's page redirects to the server.
 */
import { Sealed } from "@quarterdeck/keys"
import { Duration, Option, Result, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { randomBytes } from "node:crypto"
import { Login } from "../../services/IdentityClient.ts"
import * as Cookie from "../request/Cookie.ts"
import * as HeaderLines from "../request/HeaderLines.ts"

const NAME = "qd_login"

/** Maximum duration of a sign-in at the provider. */
const LASTS = Duration.minutes(10)

/** A pending sign-in, and the place in the dashboard to return to. */
const Pending = Schema.Struct({ ...Login.fields, place: Schema.String, endsAtMs: Schema.Finite })
export type Pending = Omit<typeof Pending.Type, "endsAtMs">

const PendingText = Schema.fromJsonString(Pending)

/** Prints and reads the cookies of one process. */
export interface LoginCookie {
  readonly print: (pending: Pending, nowMs: number, secure: boolean) => string
  /** Reads the cookie. `None` if it is absent, repeated, expired or sealed by another process. */
  readonly read: (
    request: HttpServerRequest.HttpServerRequest,
    nowMs: number,
    secure: boolean
  ) => Option.Option<Pending>
  readonly forget: (secure: boolean) => string
}

/** Makes the cookies, sealed by a random key of this process. A restart ends every pending sign-in. */
export const make = (): LoginCookie => {
  const key = randomBytes(32)

  const line = (value: string, lasts: Duration.Duration, secure: boolean) =>
    Cookie.print({ name: NAME, value, lasts, sameSite: "Lax" }, secure)

  return {
    print: (pending, nowMs, secure) => {
      const text = Schema.encodeSync(PendingText)({ ...pending, endsAtMs: nowMs + Duration.toMillis(LASTS) })
      return line(Sealed.seal(key, text), LASTS, secure)
    },
    read: (request, nowMs, secure) => {
      const [value, ...more] = Cookie.valuesOf(HeaderLines.valuesOf(request, "cookie"), NAME, secure)
      if (value === undefined || more.length > 0) return Option.none()
      return Sealed.open(key, value).pipe(
        Option.flatMap((text) => Result.getSuccess(Schema.decodeResult(PendingText)(text))),
        Option.filter(({ endsAtMs }) => nowMs < endsAtMs)
      )
    },
    forget: (secure) => line("", Duration.zero, secure)
  }
}
