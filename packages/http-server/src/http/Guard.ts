/**
 * Lets a request through only with a key whose rule allows the endpoint's policy.
 */
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { Authorization } from "@quarterdeck/contract/Authorization"
import { EndpointPolicy } from "@quarterdeck/contract/Policy"
import type * as Problem from "@quarterdeck/contract/Problem"
import * as Access from "@quarterdeck/keys/Access"
import { Authenticator } from "@quarterdeck/keys/Authenticator"
import * as Credential from "@quarterdeck/keys/Credential"
import { Principal } from "@quarterdeck/keys/Principal"
import { Context, Effect, Layer, Option, Schema, type Types } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiError } from "effect/http-api"
import * as Endpoints from "./Endpoints.ts"
import * as Origin from "./Origin.ts"
import { refuse } from "./Refusal.ts"
import * as RequestBody from "./RequestBody.ts"
import * as RequestHeaders from "./RequestHeaders.ts"
import { CurrentRequest } from "./RequestRecord.ts"
import * as RequestShape from "./RequestShape.ts"

/**
 * An endpoint declares no policy, a cell that the access table does not have, or one that nothing enforces: the service
 * does not start.
 */
export class PolicyMissing extends Schema.TaggedError<PolicyMissing>()("PolicyMissing", {
  endpoint: Schema.String
}) {
  override get message(): string {
    return `the endpoint ${this.endpoint} declares no policy that the access table has and the guard enforces`
  }
}

export class Guard extends Context.Service<
  Guard,
  {
    /**
     * Finds out who sends the current request.
     *
     * **Errors** the problems `malformed_credential`, `origin_forbidden`, those of 401, `key_store_unavailable`.
     */
    readonly authenticate: Effect.Effect<Principal["Service"], Problem.Problem, HttpServerRequest.HttpServerRequest>
  }
>()("@quarterdeck/http-server/Guard") {
  static readonly layer = Layer.effect(
    Guard,
    Effect.gen(function* () {
      const authenticator = yield* Authenticator
      return Guard.of({
        authenticate: Effect.gen(function* () {
          const request = yield* HttpServerRequest.HttpServerRequest
          const credential = Credential.fromAuthorization(RequestHeaders.valuesOf(request, "authorization"))
          if (credential._tag === "Malformed") {
            return yield* refuse("malformed_credential", { detail: credential.detail, field: "Authorization" })
          }
          yield* Origin.check
          if (credential._tag === "Missing") return yield* unauthorized("missing_credential", credential.detail)
          const verdict = yield* authenticator
            .authenticate(credential.key)
            .pipe(
              Effect.catch((error) =>
                Effect.andThen(
                  Effect.logError("the key store cannot be asked", error),
                  refuse("key_store_unavailable", { detail: "the keys cannot be read at the moment" })
                )
              )
            )
          if (verdict._tag === "Refused") return yield* unauthorized(verdict.code, verdict.detail)
          const record = yield* CurrentRequest
          record.keyId = verdict.principal.keyId
          return verdict.principal
        }).pipe(Effect.withSpan("Guard.authenticate"))
      })
    })
  )

  /**
   * Implements the contract's middleware: who it is, whether the role may, then media type and size, then the endpoint.
   *
   * **Errors** `PolicyMissing` when any endpoint of the contract declares none.
   */
  static readonly layerAuthorization = Layer.effect(
    Authorization,
    Effect.gen(function* () {
      const guard = yield* Guard
      yield* requirePolicies
      return Authorization.of((endpointEffect, { endpoint }) =>
        Effect.gen(function* () {
          const record = yield* CurrentRequest
          record.route = endpoint.path
          const principal = yield* guard.authenticate
          yield* authorize(principal, endpoint.annotations)
          yield* RequestShape.utf8Query
          const text = endpoint.payload.size > 0 ? yield* RequestBody.read : ""
          if (endpoint.query === undefined) yield* refuseQuery
          return yield* endpointEffect.pipe(
            Effect.provideService(Principal, principal),
            Effect.provideService(RequestBody.BodyText, text),
            Effect.catch(
              (error): Effect.Effect<never, Types.unhandled | Problem.Problem, HttpServerRequest.HttpServerRequest> =>
                HttpApiError.HttpApiSchemaError.is(error) ? refuseInput(error) : Effect.fail(error)
            )
          )
        })
      )
    })
  )
}

const requirePolicies = Effect.forEach(
  Endpoints.all,
  ({ isGuarded, name, policy }) => {
    const isEnforced =
      policy === "public"
        ? !isGuarded
        : policy !== undefined && isGuarded && Access.table[policy.resource][policy.verb] !== "unsupported"
    return isEnforced ? Effect.void : Effect.fail(new PolicyMissing({ endpoint: name }))
  },
  { discard: true }
)

const authorize = Effect.fnUntraced(function* (principal: Principal["Service"], annotations: Context.Context<never>) {
  const policy = Option.getOrUndefined(Context.getOption(annotations, EndpointPolicy))
  if (policy === undefined || policy === "public") {
    return yield* refuse("role_forbidden", { detail: "the endpoint admits no key" })
  }
  if (Access.decide(principal.rule, policy.resource, policy.verb) === "allowed") return
  return yield* refuse("role_forbidden", {
    detail: `the key's role or scope does not allow it to ${policy.verb} ${policy.resource}`
  })
})

/** **Source** RFC 6750 §3, RFC 7617 §2: a challenge for each scheme. */
const unauthorized = Effect.fnUntraced(function* (code: Problem.Code, detail: string) {
  const record = yield* CurrentRequest
  const error = code === "missing_credential" ? "" : ', error="invalid_token"'
  record.replyHeaders["www-authenticate"] =
    `Bearer realm="quarterdeck"${error}, Basic realm="quarterdeck", charset="UTF-8"`
  return yield* refuse(code, { detail })
})

const parametersOf = (url: string): URLSearchParams => new URLSearchParams(url.split("?").slice(1).join("?"))

/** An endpoint that declares no parameter has none that would be decoded, and so none that would be refused. */
const refuseQuery = Effect.gen(function* () {
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const [name] = parametersOf(url).keys()
  if (name === undefined) return
  const fault = SchemaFault.unknownField([name])
  return yield* refuse("unknown_parameter", {
    detail: `${SchemaFault.print(fault)}; the route takes no parameter`,
    ...(fault.field === "" ? {} : { field: fault.field })
  })
})

/** Tells a request that does not decode from a reply that does not encode: the second is the service's own fault. */
const refuseInput = Effect.fnUntraced(function* (error: HttpApiError.HttpApiSchemaError) {
  const fault = SchemaFault.fromIssue(error.cause.issue)
  switch (error.kind) {
    case "Query": {
      const { url } = yield* HttpServerRequest.HttpServerRequest
      const isRepeated = parametersOf(url).getAll(fault.field).length > 1
      return yield* refuseParameter(isRepeated ? { ...fault, problem: "may be given once" } : fault)
    }
    case "Params":
    case "Headers":
      return yield* refuseParameter(fault)
    case "Payload":
      return yield* RequestBody.refuseFault(fault)
    case "Body":
    case "ResponseHeaders":
      return yield* Effect.die(error)
  }
})

const refuseParameter = (fault: SchemaFault.SchemaFault) =>
  refuse(fault.isUnknown ? "unknown_parameter" : "invalid_parameter", {
    detail: SchemaFault.print(fault),
    ...(fault.field === "" ? {} : { field: fault.field })
  })
