/**
 * `/api/v1/session`.
 */
import { Api } from "@quarterdeck/contract/Api"
import { SignIn } from "@quarterdeck/contract/SessionGroup"
import { KeyIssuer } from "@quarterdeck/keys/KeyIssuer"
import { Sessions } from "@quarterdeck/keys/Sessions"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as AuditTrail from "../AuditTrail.ts"
import { FailedAttempts } from "../FailedAttempts.ts"
import { Guard } from "../Guard.ts"
import { KeyLimit } from "../KeyLimit.ts"
import * as KeyRefusal from "../KeyRefusal.ts"
import * as RequestBody from "../RequestBody.ts"
import { CurrentRequest } from "../RequestRecord.ts"
import * as SessionCookie from "../SessionCookie.ts"
import { unauthorized } from "../Unauthorized.ts"

const SESSION_PATH = "/api/v1/session"

export const SessionHandlers = HttpApiBuilder.group(
  Api,
  "session",
  Effect.fn(function* (handlers) {
    const guard = yield* Guard
    const attempts = yield* FailedAttempts
    const issuer = yield* KeyIssuer
    const keyLimit = yield* KeyLimit
    const sessions = yield* Sessions
    const publicUrl = yield* SessionCookie.PublicUrl

    const setCookie = Effect.fnUntraced(function* (print: (secure: boolean) => string) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const record = yield* CurrentRequest
      record.replyHeaders["set-cookie"] = print(SessionCookie.isSecure(request, publicUrl))
    })

    return handlers
      .handleRaw(
        "create",
        Effect.fnUntraced(function* () {
          const { key } = yield* RequestBody.decode(SignIn)
          yield* attempts.admit(key)
          const opened = yield* sessions
            .open(key, (principal) => keyLimit.spend(principal, SESSION_PATH))
            .pipe(Effect.catchTag("KeyStoreError", KeyRefusal.fromError))
          if (opened._tag === "Refused") return yield* unauthorized(opened.code, opened.detail)
          const { id, lasts, principal } = opened
          const record = yield* CurrentRequest
          record.keyId = principal.keyId
          record.actor = AuditTrail.actorOf("session", principal)
          record.user = principal
          const apiKey = yield* issuer.whoami(principal).pipe(Effect.catch(KeyRefusal.fromError))
          yield* setCookie((secure) => SessionCookie.print(id, lasts, secure))
          return apiKey
        })
      )
      .handle(
        "get",
        Effect.fnUntraced(function* () {
          const { principal } = yield* guard.authenticateSession
          yield* keyLimit.spend(principal, SESSION_PATH)
          return yield* issuer.whoami(principal).pipe(Effect.catch(KeyRefusal.fromError))
        })
      )
      .handle(
        "end",
        Effect.fnUntraced(function* ({ query: { all } }) {
          const cookie = SessionCookie.of(yield* HttpServerRequest.HttpServerRequest, publicUrl)
          if (cookie._tag === "Present") {
            const owner = yield* sessions.look(cookie.id).pipe(Effect.catch(KeyRefusal.fromError))
            if (owner._tag === "Valid") {
              const record = yield* CurrentRequest
              record.actor = AuditTrail.actorOf("session", owner.principal)
            }
            const end = all === "true" ? sessions.endAll(cookie.id) : sessions.end(cookie.id)
            yield* end.pipe(Effect.catch(KeyRefusal.fromError))
          }
          yield* setCookie(SessionCookie.forget)
        })
      )
  })
)
