/**
 * What a request brings beside its credentials: the body's text, and the problem of what does not decode.
 */
import type * as Problem from "@quarterdeck/contract/Problem"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { type ByteSize, Effect, type Types } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiError, type HttpApiEndpoint } from "effect/http-api"
import { refuse } from "../refusal/Refusal.ts"
import * as RequestBody from "./RequestBody.ts"

/**
 * Runs an endpoint with the text of its body, once `begin`, which is given the text, has let it.
 *
 * **Errors** the problems of media type and size, of parameters that are unknown or refused, of a body that does not
 * decode, beside those of the endpoint.
 */
export const admit = Effect.fnUntraced(function* <A, R>(
  endpointEffect: Effect.Effect<A, Types.unhandled, R>,
  endpoint: HttpApiEndpoint.Top,
  begin: (text: string) => Effect.Effect<void, Problem.Problem>,
  maxBytes: ByteSize.ByteSize = RequestBody.MAX_BYTES
) {
  yield* requireUtf8Query
  const text = endpoint.payload.size > 0 ? yield* RequestBody.read(maxBytes) : ""
  if (endpoint.query === undefined) yield* refuseQuery
  yield* begin(text)
  return yield* endpointEffect.pipe(
    Effect.provideService(RequestBody.BodyText, text),
    Effect.catch(
      (error): Effect.Effect<never, Types.unhandled | Problem.Problem, HttpServerRequest.HttpServerRequest> =>
        HttpApiError.HttpApiSchemaError.is(error) ? refuseInput(error) : Effect.fail(error)
    )
  )
})

/** Reads the parameters of an address as the routes do: all behind the first `?`, and a second one is part of a name. */
export const parametersOf = (url: string): URLSearchParams =>
  new URLSearchParams(url.split("?").slice(1).join("?").replace(/^\?/, "%3F"))

/** Whether the address of the current request has a parameter. */
export const hasParameter = Effect.map(HttpServerRequest.HttpServerRequest, ({ url }) => url.includes("?"))

const isUtf8 = (text: string): boolean => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/**
 * Lets a request pass whose query can be decoded.
 *
 * **Errors** `malformed_request`: a decoder that forgives would put other characters in the place of those that were meant.
 */
const requireUtf8Query = Effect.gen(function* () {
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const start = url.indexOf("?")
  if (start === -1 || isUtf8(url.slice(start + 1))) return
  return yield* refuse("malformed_request", { detail: "query: must be percent-encoded UTF-8", field: "query" })
})

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
