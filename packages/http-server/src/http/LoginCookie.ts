/**
 * The cookie that a browser keeps while it signs in at the identity provider.
 *
 * It ties the provider's answer to the browser that asked: an answer sent from elsewhere is refused. `SameSite=Lax`,
 * since the answer comes as a link from the provider's page.
 */
import { Duration, Option, Result, Schema } from "effect"
import type { HttpServerRequest } from "effect/http"
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto"
import { Login } from "../services/IdentityClient.ts"
import * as RequestHeaders from "./RequestHeaders.ts"

const SECURE_NAME = "__Host-qd_login"
const PLAIN_NAME = "qd_login"

/** How long somebody may take at the provider. */
const LASTS = Duration.minutes(10)

const ALGORITHM = "aes-256-gcm"
const NONCE_BYTES = 12
const TAG_BYTES = 16

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

/** **Shape** a key of this program alone: who signs in while it restarts begins again. */
export const make = (): LoginCookie => {
  const key = randomBytes(32)

  const seal = (text: string): string => {
    const nonce = randomBytes(NONCE_BYTES)
    const cipher = createCipheriv(ALGORITHM, key, nonce, { authTagLength: TAG_BYTES })
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64url")
  }

  const open = (value: string): Option.Option<string> =>
    Result.getSuccess(
      Result.try(() => {
        const bytes = Buffer.from(value, "base64url")
        const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
        const text = [decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]
        return Buffer.concat(text).toString("utf8")
      })
    )

  return {
    print: (pending, nowMs, secure) =>
      line(
        seal(Schema.encodeSync(PendingText)({ ...pending, endsAtMs: nowMs + Duration.toMillis(LASTS) })),
        Duration.toSeconds(LASTS),
        secure
      ),
    read: (request, nowMs, secure) => {
      const name = `${secure ? SECURE_NAME : PLAIN_NAME}=`
      const values = RequestHeaders.valuesOf(request, "cookie").flatMap((header) =>
        header.split(";").flatMap((pair) => (pair.trim().startsWith(name) ? [pair.trim().slice(name.length)] : []))
      )
      const [value, ...more] = values
      if (value === undefined || more.length > 0) return Option.none()
      return open(value).pipe(
        Option.flatMap((text) => Result.getSuccess(Schema.decodeResult(PendingText)(text))),
        Option.filter(({ endsAtMs }) => nowMs < endsAtMs)
      )
    },
    forget: (secure) => line("", 0, secure)
  }
}

const line = (value: string, seconds: number, secure: boolean): string =>
  [
    `${secure ? SECURE_NAME : PLAIN_NAME}=${value}`,
    "Path=/",
    `Max-Age=${seconds}`,
    "HttpOnly",
    "SameSite=Lax",
    ...(secure ? ["Secure"] : [])
  ].join("; ")
