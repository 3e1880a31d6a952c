/**
 * `/api/v1/session`.
 */
import { Api } from "@quarterdeck/contract/Api"
import { SessionGroup } from "@quarterdeck/contract"
import { KeyIssuer } from "@quarterdeck/keys/KeyIssuer"
import { Sessions } from "@quarterdeck/keys/Sessions"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as AllowedAddress from "../guard/AllowedAddress.ts"
import * as AuditTrail from "../audit/AuditTrail.ts"
import * as Guard from "../guard/Guard.ts"
import * as KeyRefusal from "../refusal/KeyRefusal.ts"
import * as RequestBody from "../guard/RequestBody.ts"
import { CurrentRequest } from "../request/RequestRecord.ts"
import * as SessionCookie from "../request/SessionCookie.ts"
import { unauthorized } from "../refusal/Unauthorized.ts"

const signedIn = HttpServerResponse.schemaJson(SessionGroup.SignedIn)

export const SessionHandlers = HttpApiBuilder.group(
  Api,
  "session",
  Effect.fn(function* (handlers) {
    const guard = yield* Guard.Guard
    const issuer = yield* KeyIssuer
    const sessions = yield* Sessions
    const trail = yield* AuditTrail.AuditTrail

    const cookieOf = Effect.fnUntraced(function* (print: (secure: boolean) => string) {
      const { isSecure } = yield* CurrentRequest
      return { "set-cookie": print(isSecure) }
    })

    return handlers
      .handleRaw(
        "create",
        Effect.fnUntraced(function* () {
          const { key } = yield* RequestBody.decode(SessionGroup.SignIn)
          yield* guard.admitKey(key)
          const opened = yield* sessions
            .open(key, (principal) =>
              AllowedAddress.require(principal).pipe(
                Effect.andThen(guard.spend(principal)),
                Effect.andThen(trail.begin)
              )
            )
            .pipe(Effect.catchTag("KeyStoreError", KeyRefusal.fromError))
          if (opened._tag === "Refused") {
            yield* Guard.noteEnded("key", opened)
            return yield* unauthorized(opened.code, opened.detail)
          }
          const { id, lasts, principal } = opened
          yield* Guard.noteCaller("session", principal, "use")
          const apiKey = yield* issuer.whoami(principal).pipe(Effect.catch(KeyRefusal.fromError))
          const headers = yield* cookieOf((secure) => SessionCookie.print(id, lasts, secure))
          return yield* Effect.orDie(signedIn(apiKey, { status: 201, headers }))
        })
      )
      .handle(
        "get",
        Effect.fnUntraced(function* () {
          const { principal } = yield* guard.authenticateSession
          yield* guard.spend(principal)
          return yield* issuer.whoami(principal).pipe(Effect.catch(KeyRefusal.fromError))
        })
      )
      .handle(
        "end",
        Effect.fnUntraced(function* ({ query: { all } }) {
          const cookie = yield* SessionCookie.current
          if (cookie._tag === "Present") {
            const owner = yield* sessions.look(cookie.id).pipe(Effect.catch(KeyRefusal.fromError))
            // A browser may always sign out. Ending the other sessions requires a client address that the key permits.
            if (all === "true" && owner._tag === "Valid") yield* AllowedAddress.require(owner.principal)
            yield* Guard.beginEnd(trail, owner)
            const end = all === "true" ? sessions.endAll(cookie.id) : sessions.end(cookie.id)
            yield* end.pipe(Effect.catch(KeyRefusal.fromError))
          }
          return HttpServerResponse.empty({ status: 204, headers: yield* cookieOf(SessionCookie.forget) })
        })
      )
  })
)
