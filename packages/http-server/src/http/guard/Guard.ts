/**
 * Authenticates requests by key or session, and authorizes them by the endpoint's policy.
 */
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { Authorization, SameOrigin } from "@quarterdeck/contract/Authorization"
import { EndpointPolicy } from "@quarterdeck/contract/Policy"
import type * as Problem from "@quarterdeck/contract/Problem"
import { Credential } from "@quarterdeck/keys"
import * as Access from "@quarterdeck/keys/Access"
import { Authenticator, type Purpose } from "@quarterdeck/keys/Authenticator"
import type { KeyStoreError } from "@quarterdeck/keys/KeyError"
import { Principal } from "@quarterdeck/keys/Principal"
import type { RawKey } from "@quarterdeck/keys/RawKey"
import { Sessions, type SessionVerdict } from "@quarterdeck/keys/Sessions"
import * as TargetRequest from "@quarterdeck/targeting/TargetRequest"
import { Context, Effect, Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import * as AllowedAddress from "./AllowedAddress.ts"
import * as AuditedBody from "../audit/AuditedBody.ts"
import * as AuditedPath from "../audit/AuditedPath.ts"
import * as AuditTrail from "../audit/AuditTrail.ts"
import * as Endpoints from "../request/Endpoints.ts"
import { FailedAttempts } from "./FailedAttempts.ts"
import { KeyLimit } from "./KeyLimit.ts"
import * as KeyRefusal from "../refusal/KeyRefusal.ts"
import * as Origin from "./Origin.ts"
import { answer, refuse } from "../refusal/Refusal.ts"
import * as RequestBody from "./RequestBody.ts"
import * as HeaderLines from "../request/HeaderLines.ts"
import * as RequestInput from "./RequestInput.ts"
import * as RequestRecord from "../request/RequestRecord.ts"
import * as SessionCookie from "../request/SessionCookie.ts"
import * as ResolvedRequest from "./ResolvedRequest.ts"
import * as TargetResolution from "./TargetResolution.ts"
import { unauthorized } from "../refusal/Unauthorized.ts"

/**
 * Startup error: an endpoint declares no policy, a policy that the access table does not support, or a policy that no
 * middleware enforces.
 */
export class PolicyMissing extends Schema.TaggedError<PolicyMissing>()("PolicyMissing", {
  endpoint: Schema.String
}) {
  override get message(): string {
    return `the endpoint ${this.endpoint} must declare a policy that the access table supports and the guard enforces`
  }
}

/** An authenticated caller. **Shape** `via` is a key in the Authorization header, or the session of a signed-in browser. */
export interface Caller {
  readonly principal: Principal["Service"]
  readonly via: "key" | "session"
}

const write = RequestRecord.writer("via", "audited", "keyId", "actor", "user", "isAttempt")

export class Guard extends Context.Service<
  Guard,
  {
    /**
     * Authenticates the current request and records a use of its key or session. A request with an Authorization header
     * never falls back to its session.
     *
     * **Errors** the problems `malformed_credential`, `origin_forbidden`, `address_forbidden`, `rate_limited`,
     * `key_store_unavailable`, and all with status 401.
     */
    readonly authenticate: Effect.Effect<Caller, Problem.Problem, HttpServerRequest.HttpServerRequest>
    /**
     * Authenticates the current request by its key, without recording a use. Cookies are not read.
     *
     * **Errors** as `authenticate`.
     */
    readonly authenticateKey: Effect.Effect<Caller, Problem.Problem, HttpServerRequest.HttpServerRequest>
    /** Authenticates the current request by its session alone, without recording a use. **Errors** as `authenticate`. */
    readonly authenticateSession: Effect.Effect<Caller, Problem.Problem, HttpServerRequest.HttpServerRequest>
    /** Counts a key that is presented to sign in, and adds the rate-limit headers. **Errors** as `FailedAttempts.admit`. */
    readonly admitKey: (key: RawKey) => Effect.Effect<void, Problem.Problem>
    /** Counts a sign-in without a key, and adds the rate-limit headers. **Errors** as `FailedAttempts.spend`. */
    readonly admitAttempt: Effect.Effect<void, Problem.Problem>
    /** Counts the current request against its key, and adds the rate-limit headers. **Errors** as `KeyLimit.spend`. */
    readonly spend: (
      principal: Principal["Service"],
      resolved?: ResolvedRequest.ResolvedRequest
    ) => Effect.Effect<void, Problem.Problem>
    /** Counts the clusters that the body of the current request names. **Errors** as `KeyLimit.spendClusters`. */
    readonly spendClusters: (principal: Principal["Service"], clusters: number) => Effect.Effect<void, Problem.Problem>
  }
>()("@quarterdeck/http-server/Guard") {
  static readonly layer = Layer.effect(
    Guard,
    Effect.gen(function* () {
      const authenticator = yield* Authenticator
      const sessions = yield* Sessions
      const attempts = yield* FailedAttempts
      const keyLimit = yield* KeyLimit

      const admit = Effect.fnUntraced(function* (
        ask: Effect.Effect<SessionVerdict, KeyStoreError>,
        via: Caller["via"],
        purpose: Purpose
      ): Effect.fn.Return<Caller, Problem.Problem, HttpServerRequest.HttpServerRequest> {
        const verdict = yield* ask.pipe(Effect.catch(KeyRefusal.fromError))
        if (verdict._tag === "Refused") {
          yield* noteEnded(via, verdict)
          return yield* unauthorized(verdict.code, verdict.detail)
        }
        yield* noteCaller(via, verdict.principal, purpose)
        if (verdict.principal.allowFrom !== undefined) yield* AllowedAddress.require(verdict.principal)
        return { principal: verdict.principal, via }
      })

      const byKey = Effect.fnUntraced(function* (values: ReadonlyArray<string>, purpose: Purpose) {
        const credential = Credential.fromAuthorization(values)
        if (credential._tag === "Malformed") {
          return yield* refuse("malformed_credential", { detail: credential.detail, field: "Authorization" })
        }
        yield* Origin.check
        if (credential._tag === "Missing") return yield* unauthorized("missing_credential", credential.detail)
        yield* noteAttempt(attempts.admit(credential.key))
        return yield* admit(authenticator.authenticate(credential.key, "look"), "key", purpose)
      })

      const bySession = Effect.fnUntraced(function* (
        cookie: Exclude<SessionCookie.Presented, { _tag: "Absent" }>,
        purpose: Purpose
      ) {
        if (cookie._tag === "Repeated") {
          return yield* refuse("malformed_credential", {
            detail: "the session cookie was sent more than once",
            field: "Cookie"
          })
        }
        const { method } = yield* HttpServerRequest.HttpServerRequest
        yield* write({ via: "page" })
        yield* SAFE_METHODS.has(method) ? Origin.check : Origin.requireOwn
        if (cookie._tag === "Unknown") return yield* unauthorized("session_ended", "no session has such an id")
        const judge = purpose === "use" ? sessions.authenticate : sessions.look
        yield* noteAttempt(attempts.admitSession(cookie.id))
        return yield* admit(judge(cookie.id), "session", purpose)
      })

      return Guard.of({
        authenticate: Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const values = HeaderLines.valuesOf(request, "authorization")
          const cookie = yield* SessionCookie.current
          return yield* values.length > 0 || cookie._tag === "Absent" ? byKey(values, "use") : bySession(cookie, "use")
        }).pipe(Effect.withSpan("Guard.authenticate")),
        authenticateKey: Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          return yield* byKey(HeaderLines.valuesOf(request, "authorization"), "look")
        }).pipe(Effect.withSpan("Guard.authenticateKey")),
        authenticateSession: Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const cookie = yield* SessionCookie.current
          const hasKey = HeaderLines.valuesOf(request, "authorization").length > 0
          if (!hasKey && cookie._tag !== "Absent") return yield* bySession(cookie, "look")
          // The sign-in page sends this request when it opens, so a missing session is an expected outcome.
          if (!hasKey) yield* answer
          return yield* unauthorized(
            "missing_credential",
            hasKey ? "a request with an Authorization header cannot use a session" : "the browser is not signed in"
          )
        }).pipe(Effect.withSpan("Guard.authenticateSession")),
        admitKey: (key) => noteAttempt(attempts.admit(key)),
        admitAttempt: noteAttempt(attempts.spend),
        spend: (principal, resolved) => noteLimit(keyLimit.spend(principal, resolved)),
        spendClusters: (principal, clusters) => noteLimit(keyLimit.spendClusters(principal, clusters))
      })
    })
  )

  /**
   * Implements the contract's Authorization middleware. The order of checks is: authentication, role, rate limit, media
   * type and size of the body.
   *
   * **Errors** `PolicyMissing` if an endpoint of the contract declares no enforced policy.
   */
  static readonly layerAuthorization = Layer.effect(
    Authorization,
    Effect.gen(function* () {
      const guard = yield* Guard
      const trail = yield* AuditTrail.AuditTrail
      const registry = yield* ClusterRegistry
      yield* requirePolicies
      return Authorization.of((endpointEffect, { endpoint }) =>
        Effect.gen(function* () {
          const audited = yield* AuditTrail.cellOf(endpoint.annotations)
          yield* write({ audited })
          yield* TargetResolution.noteNamed(AuditedPath.targetOf((yield* HttpRouter.RouteContext).params))
          const { principal, via } = yield* guard.authenticate
          yield* authorize(principal, endpoint.annotations)
          const resolved = yield* resolve(principal, endpoint.annotations, yield* registry.snapshot)
          yield* guard.spend(principal, resolved)
          if (via === "session" && WITH_BODY.has(endpoint.method)) yield* RequestBody.requireJson
          const begin = Effect.fnUntraced(function* (text: string) {
            if (audited !== undefined && AuditTrail.isDryRun(endpoint.annotations, text)) {
              yield* write({ audited: { ...audited, verb: "read" } })
            }
            const named = AuditedBody.read(endpoint.path, text)
            yield* TargetResolution.noteNamed(named.target)
            yield* TargetResolution.noteResolved(yield* registry.snapshot)
            // A revocation may use the disk reserve, so its handler writes the event once no check can refuse it.
            const isRevocation = endpoint.method === "DELETE" && endpoint.path === REVOKED_PATH
            if (!named.isFound && !isRevocation) yield* trail.begin
          })
          return yield* RequestInput.admit(endpointEffect, endpoint, begin).pipe(
            ResolvedRequest.provide(resolved),
            Effect.provideService(Principal, principal)
          )
        })
      )
    })
  )

  /**
   * Implements the contract's SameOrigin middleware: a write must come from a page of the server's own origin.
   *
   * **Shape** a sign-in with an invalid body counts as a failed attempt, like a sign-in with a wrong key. The endpoint
   * writes the audit event once the caller is known; an earlier refusal is audited as a denial. A read with query
   * parameters is authenticated before the parameters are refused.
   */
  static readonly layerSameOrigin = Layer.effect(
    SameOrigin,
    Effect.gen(function* () {
      const guard = yield* Guard
      const countOnce = Effect.flatMap(RequestRecord.CurrentRequest, ({ isAttempt }) =>
        isAttempt ? Effect.void : guard.admitAttempt
      )
      return SameOrigin.of((endpointEffect, { endpoint }) =>
        Effect.gen(function* () {
          yield* write({ via: "page", audited: AuditTrail.sessionCellOf(endpoint.method) })
          if (SAFE_METHODS.has(endpoint.method)) yield* Origin.check
          else yield* Origin.requireOwn
          if (endpoint.method === "GET" && (yield* RequestInput.hasParameter)) yield* guard.authenticateSession
          const isSignIn = WITH_BODY.has(endpoint.method)
          const admitted = Effect.gen(function* () {
            if (isSignIn) yield* RequestBody.requireJson
            const begin = () => Effect.void
            return yield* RequestInput.admit(endpointEffect, endpoint, begin, RequestBody.MAX_SIGN_IN_BYTES)
          })
          return yield* isSignIn ? Effect.tapError(admitted, () => countOnce) : admitted
        })
      )
    })
  )
}

/** Records the caller of the current request. With `use`, the request counts as a use of the key unless it is refused. */
export const noteCaller = (
  via: Caller["via"],
  principal: Principal["Service"],
  purpose: Purpose = "look"
): Effect.Effect<void> =>
  write({
    keyId: principal.keyId,
    actor: AuditTrail.actorOf(via, principal),
    ...(purpose === "use" ? { user: principal } : {})
  })

/** Records the owner of an expired, revoked or ended credential for audit and log, if the credential is known. */
export const noteEnded = (via: Caller["via"], verdict: Extract<SessionVerdict, { readonly _tag: "Refused" }>) =>
  "ended" in verdict && verdict.ended !== undefined
    ? write({ keyId: verdict.ended.keyId, actor: AuditTrail.actorOf(via, verdict.ended) })
    : Effect.void

/**
 * Writes the audit event before the current request ends a session. Does nothing if the session does not exist.
 *
 * **Errors** as `AuditTrail.begin`.
 */
export const beginEnd = Effect.fnUntraced(function* (trail: AuditTrail.AuditTrail["Service"], verdict: SessionVerdict) {
  if (verdict._tag === "Refused" && verdict.code === "session_ended") return
  const owner = verdict._tag === "Valid" ? verdict.principal : verdict.ended
  if (owner !== undefined) yield* write({ actor: AuditTrail.actorOf("session", owner) })
  yield* trail.beginRevocation
})

/** Records for the audit that the current request, a browser navigation, opens or ends a session. */
export const noteSessionCall = (verb: "create" | "delete"): Effect.Effect<void> =>
  write({ via: "page", audited: { resource: "session", verb } })

/** Records for the audit that the current request is an MCP message. */
export const noteMcpCall: Effect.Effect<void> = write({ via: "mcp", audited: { resource: "mcp", verb: "read" } })

const noteLimit = <E, R>(count: Effect.Effect<RequestRecord.RequestRecord["replyHeaders"], E, R>) =>
  Effect.flatMap(count, RequestRecord.addHeaders)

/** Records a failed attempt, within the limit or above it. */
const noteAttempt = (count: ReturnType<FailedAttempts["Service"]["admit"]>) =>
  count.pipe(
    Effect.tapError(() => write({ isAttempt: true })),
    Effect.flatMap((headers) =>
      headers === undefined
        ? Effect.void
        : Effect.andThen(write({ isAttempt: true }), RequestRecord.addHeaders(headers))
    )
  )

/** Path of the endpoint that revokes a key. */
const REVOKED_PATH = "/api/v1/apiKeys/:id"

const SAFE_METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"])
/** Methods with a body. An HTML form can send POST across origins without a preflight, but not as JSON. */
const WITH_BODY: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH"])

const requirePolicies = Effect.forEach(
  Endpoints.all,
  ({ isGuarded, name, policy }) => {
    const isEnforced =
      policy === "public" || policy === "session"
        ? !isGuarded
        : policy !== undefined && isGuarded && Access.table[policy.resource][policy.verb] !== "unsupported"
    return isEnforced ? Effect.void : Effect.fail(new PolicyMissing({ endpoint: name }))
  },
  { discard: true }
)

/** Resolves the current request. **Shape** an endpoint of the resource `clusters` addresses all by default. */
const resolve = Effect.fnUntraced(function* (
  principal: Principal["Service"],
  annotations: Context.Context<never>,
  registered: ResolvedRequest.Registered
) {
  const policy = Option.getOrUndefined(Context.getOption(annotations, EndpointPolicy))
  const isOfClusters = typeof policy === "object" && policy.resource === "clusters"
  const unnamed = isOfClusters ? TargetRequest.all : TargetRequest.parent
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const { cluster } = (yield* HttpRouter.RouteContext).params
  const facts = { ...(yield* TargetResolution.sources), principal, url, cluster, unnamed }
  return ResolvedRequest.make(facts, registered, yield* ResolvedRequest.TargetOptions)
})

const authorize = Effect.fnUntraced(function* (principal: Principal["Service"], annotations: Context.Context<never>) {
  const policy = Option.getOrUndefined(Context.getOption(annotations, EndpointPolicy))
  if (policy === undefined || policy === "public" || policy === "session") {
    return yield* refuse("role_forbidden", { detail: "the endpoint accepts no API key" })
  }
  const { id } = (yield* HttpRouter.RouteContext).params
  const ofOthers = policy.ofOthers !== undefined && id !== principal.keyId ? [policy.ofOthers] : []
  for (const { resource, verb } of [policy, ...ofOthers]) {
    if (Access.decide(principal.rule, resource, verb) === "allowed") continue
    return yield* refuse("role_forbidden", { detail: Access.refusal(principal.rule, resource, verb) })
  }
})
