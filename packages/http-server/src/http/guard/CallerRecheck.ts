/**
 * Authenticates the caller again during a stream or a bulk action. Both end when the caller's key or session ends.
 */
import { Credential } from "@quarterdeck/keys"
import * as AllowFrom from "@quarterdeck/keys/AllowFrom"
import type { Authenticator } from "@quarterdeck/keys/Authenticator"
import type { KeyStoreError } from "@quarterdeck/keys/KeyError"
import { Principal } from "@quarterdeck/keys/Principal"
import type { Sessions, SessionVerdict } from "@quarterdeck/keys/Sessions"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { isDeepStrictEqual } from "node:util"
import * as HeaderLines from "../request/HeaderLines.ts"
import { CurrentRequest } from "../request/RequestRecord.ts"
import * as SessionCookie from "../request/SessionCookie.ts"

/**
 * Makes an effect that authenticates the caller of the current request again. It returns a problem code if the caller
 * may not continue, else undefined.
 *
 * **Shape** `key_narrowed` if the rule differs from the one at the start of the request; `address_forbidden` if the key
 * no longer permits the client address; `key_store_unavailable` after more than three store failures in a row.
 */
export const make = Effect.fnUntraced(function* (
  authenticator: Authenticator["Service"],
  sessions: Sessions["Service"]
): Effect.fn.Return<Effect.Effect<string | undefined>, never, HttpServerRequest.HttpServerRequest | Principal> {
  const request = yield* HttpServerRequest.HttpServerRequest
  const { rule } = yield* Principal
  const { clientAddress } = yield* CurrentRequest
  const credential = Credential.fromAuthorization(HeaderLines.valuesOf(request, "authorization"))
  const cookie = yield* SessionCookie.current
  let failures = 0

  const judge: Effect.Effect<SessionVerdict, KeyStoreError> =
    credential._tag === "Present"
      ? authenticator.authenticate(credential.key, "look")
      : cookie._tag === "Present"
        ? sessions.look(cookie.id)
        : Effect.succeed(SIGNED_OUT)

  return judge.pipe(
    Effect.map((verdict): string | undefined => {
      failures = 0
      if (verdict._tag === "Refused") return verdict.code
      if (!AllowFrom.permits(verdict.principal.allowFrom, clientAddress)) return "address_forbidden"
      return isDeepStrictEqual(verdict.principal.rule, rule) ? undefined : "key_narrowed"
    }),
    Effect.catch((error) =>
      Effect.as(
        Effect.logWarning("could not authenticate the caller of a running request again", error),
        ++failures > MOST_FAILURES ? "key_store_unavailable" : undefined
      )
    )
  )
})

const SIGNED_OUT: SessionVerdict = { _tag: "Refused", code: "session_ended", detail: "there is no session" }

/** Failures of the key store in a row after which the caller may still continue. One more ends the stream or action. */
const MOST_FAILURES = 3
