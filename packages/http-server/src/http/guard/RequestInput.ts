/**
 * Reads the query and the body of a request, and turns decoding errors into problems.
 */
import type * as Problem from "@quarterdeck/contract/Problem"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { type ByteSize, Effect, type Types } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiError, type HttpApiEndpoint } from "effect/http-api"
import { refuse } from "../refusal/Refusal.ts"
import * as RequestBody from "./RequestBody.ts"

/**
 * Reads the body, runs `begin` with its text, then runs the endpoint.
 *
 * **Errors** those of the endpoint, and the problems for media type, size, unknown or invalid parameters, and a body that
 * does not decode.
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

/** Parses the query of a URL like the router: everything after the first `?`. A second `?` is part of a name or value. */
export const parametersOf = (url: string): URLSearchParams =>
  new URLSearchParams(url.split("?").slice(1).join("?").replace(/^\?/, "%3F"))

/** True if the URL of the current request has a query. */
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
 * Fails unless the query is percent-encoded UTF-8.
 *
 * **Errors** `malformed_request`: a lenient decoder would replace the malformed characters.
 */
const requireUtf8Query = Effect.gen(function* () {
  const { url } = yield* HttpServerRequest.HttpServerRequest
  const start = url.indexOf("?")
  if (start === -1 || isUtf8(url.slice(start + 1))) return
  return yield* refuse("malformed_request", { detail: "query: must be percent-encoded UTF-8", field: "query" })
})

/** Fails if a request of an endpoint without query parameters has one. Such an endpoint has no schema to refuse it. */
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

/** Refuses a request that does not decode. Dies if a reply does not encode, which is a defect of the service. */
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
