/**
 * `/auth/oidc/*`: sign-in and sign-out at the identity provider, by browser redirects.
 */
import type { Problem } from "@quarterdeck/contract/Problem"
import type { NotVouched } from "@quarterdeck/keys/IdentityProvider"
import { Sessions } from "@quarterdeck/keys/Sessions"
import { Clock, Effect, Option } from "effect"
import { Cookies, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { below, IdentityClient } from "../../services/IdentityClient.ts"
import * as AuditTrail from "../audit/AuditTrail.ts"
import * as Guard from "../guard/Guard.ts"
import * as LoginCookie from "./LoginCookie.ts"
import * as PageRoute from "./PageRoute.ts"
import * as Refusal from "../refusal/Refusal.ts"
import * as RequestConnection from "../request/RequestConnection.ts"
import { parametersOf } from "../guard/RequestInput.ts"
import { CurrentRequest } from "../request/RequestRecord.ts"
import * as SessionCookie from "../request/SessionCookie.ts"

const LOGIN_PATH = "/auth/oidc/login" as const
const CALLBACK_PATH = "/auth/oidc/callback" as const
const LOGOUT_PATH = "/auth/oidc/logout" as const

/**
 * The reason of a failed sign-in, which the page reads from its URL.
 *
 * **Shape** `expired`: the browser has no pending sign-in; `refused`: the provider's response does not match the pending
 * sign-in, or is a refusal; `no_rule`: no group of the person has a rule; `unavailable`: provider or store does not answer.
 */
type Outcome = "expired" | "refused" | "no_rule" | "unavailable"

/** Matches a place in the dashboard, the part after `#`. It can never be another origin. */
const PLACE = /^\/[A-Za-z0-9/_\-.~?=&%|*,:+]{0,2000}$/

/** Makes the routes; none if no identity provider is configured. */
export const routes = Effect.gen(function* () {
  const found = yield* Effect.serviceOption(IdentityClient)
  const publicUrl = yield* RequestConnection.PublicUrl
  if (Option.isNone(found) || publicUrl === undefined) return []
  const client = found.value
  const guard = yield* Guard.Guard
  const sessions = yield* Sessions
  const trail = yield* AuditTrail.AuditTrail
  const cookie = LoginCookie.make()

  const page = pageOf(publicUrl)

  /**
   * Replies to a failed sign-in or sign-out. `notVouched` is the outcome if the provider does not vouch for the person.
   */
  const notSignedIn = (secure: boolean, notVouched: "refused" | "unavailable") =>
    Effect.fnUntraced(function* (error: Error | Problem) {
      if (!(error instanceof Error) && error.code === "rate_limited") return Refusal.respond(error)
      yield* Effect.logWarning(
        `signing in or out at the identity provider failed: ${error instanceof Error ? error.message : error.detail}`
      )
      const outcome = isNotVouched(error) ? notVouched : "unavailable"
      if (outcome === "refused") yield* Refusal.deny
      return withCookies(page(outcome), cookie.forget(secure))
    })

  const login = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, secure: boolean) {
    const asked = parametersOf(request.url).get("place") ?? ""
    yield* guard.admitAttempt
    const { login, url } = yield* client.begin
    const pending = { ...login, place: PLACE.test(asked) ? asked : "" }
    const now = yield* Clock.currentTimeMillis
    return withCookies(HttpServerResponse.redirect(url, { status: 303 }), cookie.print(pending, now, secure))
  })

  const callback = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest, secure: boolean) {
    const pending = Option.getOrUndefined(cookie.read(request, yield* Clock.currentTimeMillis, secure))
    if (pending === undefined) return page("expired")
    yield* Guard.noteSessionCall("create")
    yield* guard.admitAttempt
    const identified = yield* client.finish(parametersOf(request.url), pending)
    yield* trail.begin
    const opened = Option.getOrUndefined(yield* sessions.openFor(identified))
    if (opened === undefined) {
      yield* Effect.logWarning("refused a sign-in: no group of the person has a rule", {
        subject: identified.person.subject
      })
      yield* Refusal.deny
      return withCookies(page("no_rule"), cookie.forget(secure))
    }
    yield* Guard.noteCaller("session", opened.principal)
    return withCookies(
      page(undefined, pending.place),
      cookie.forget(secure),
      SessionCookie.print(opened.id, opened.lasts, secure)
    )
  })

  /** Signs out. A link of another site cannot do so, because the session cookie is `SameSite=Strict`. */
  const logout = Effect.fnUntraced(function* (secure: boolean) {
    const session = yield* SessionCookie.current
    if (session._tag !== "Present") return withCookies(page(undefined), SessionCookie.forget(secure))
    yield* Guard.noteSessionCall("delete")
    yield* Guard.beginEnd(trail, yield* sessions.look(session.id))
    const tokens = yield* sessions.tokensOf(session.id)
    yield* sessions.end(session.id)
    const atProvider = Option.isSome(tokens) ? yield* client.endSession(tokens.value) : Option.none()
    const next = Option.match(atProvider, {
      onNone: () => page(undefined),
      onSome: (url) => HttpServerResponse.redirect(url, { status: 303 })
    })
    return withCookies(next, SessionCookie.forget(secure))
  })

  return [
    PageRoute.make(
      LOGIN_PATH,
      byScheme((request, secure) => login(request, secure).pipe(Effect.catch(notSignedIn(secure, "unavailable"))))
    ),
    PageRoute.make(
      CALLBACK_PATH,
      byScheme((request, secure) => callback(request, secure).pipe(Effect.catch(notSignedIn(secure, "refused"))))
    ),
    PageRoute.make(
      LOGOUT_PATH,
      byScheme((_, secure) => logout(secure).pipe(Effect.catch(notSignedIn(secure, "unavailable"))))
    )
  ]
})

/** Makes a route handler from `reply`, whose argument `secure` is true if the request came over HTTPS. */
const byScheme =
  <A, R>(reply: (request: HttpServerRequest.HttpServerRequest, secure: boolean) => Effect.Effect<A, never, R>) =>
  (request: HttpServerRequest.HttpServerRequest) =>
    Effect.flatMap(CurrentRequest, ({ isSecure }) => reply(request, isSecure))

/** Redirects a browser to the dashboard. After a failed sign-in, the URL contains the reason. */
const pageOf =
  (publicUrl: string) =>
  (outcome: Outcome | undefined, place = ""): HttpServerResponse.HttpServerResponse => {
    const url = below(publicUrl, "")
    if (outcome !== undefined) url.searchParams.set("oidc", outcome)
    if (place !== "") url.hash = place
    return HttpServerResponse.redirect(url, { status: 303 })
  }

const isNotVouched = (error: object): error is NotVouched => "_tag" in error && error._tag === "NotVouched"

const withCookies = (
  response: HttpServerResponse.HttpServerResponse,
  ...cookies: ReadonlyArray<string>
): HttpServerResponse.HttpServerResponse => HttpServerResponse.mergeCookies(response, Cookies.fromSetCookie(cookies))
