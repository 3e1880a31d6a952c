/**
 * Judges the caller again while a stream is open or many workloads are changed, so that it ends with the caller's key.
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
 * Makes what judges the caller of the current request again: the code of why it may go on no longer, if it may not.
 *
 * **Shape** `key_narrowed` when its rule is another one than when the request came; `address_forbidden` when the key may
 * no longer be used from the client's address. While the store of keys cannot tell, the
 * caller may go on for a moment.
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
        Effect.logWarning("the key of a stream could not be judged", error),
        ++failures > MOST_FAILURES ? "key_store_unavailable" : undefined
      )
    )
  )
})

const SIGNED_OUT: SessionVerdict = { _tag: "Refused", code: "session_ended", detail: "there is no session" }

/** In a row. */
const MOST_FAILURES = 3
