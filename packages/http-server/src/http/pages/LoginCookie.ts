/**
 * The cookie that a browser keeps while it signs in at the identity provider.
 *
 * It ties the provider's answer to the browser that asked: an answer sent from elsewhere is refused. `SameSite=Lax`,
 * since the answer comes as a link from the provider's page.
 */
import { Sealed } from "@quarterdeck/keys"
import { Duration, Option, Result, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { randomBytes } from "node:crypto"
import { Login } from "../../services/IdentityClient.ts"
import * as Cookie from "../request/Cookie.ts"
import * as HeaderLines from "../request/HeaderLines.ts"

const NAME = "qd_login"

/** How long somebody may take at the provider. */
const LASTS = Duration.minutes(10)

/** A sign-in under way, and the place of the page to go back to. */
const Pending = Schema.Struct({ ...Login.fields, place: Schema.String, endsAtMs: Schema.Finite })
export type Pending = Omit<typeof Pending.Type, "endsAtMs">

const PendingText = Schema.fromJsonString(Pending)

/** Writes and reads the cookies of one running program. */
export interface LoginCookie {
  readonly print: (pending: Pending, nowMs: number, secure: boolean) => string
  /** `none` for a request without one, with several, with one that has ended or that another program made. */
  readonly read: (
    request: HttpServerRequest.HttpServerRequest,
    nowMs: number,
    secure: boolean
  ) => Option.Option<Pending>
  readonly forget: (secure: boolean) => string
}

/** Makes the cookies under a key of this process alone: a sign-in under way when it restarts has to begin again. */
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
