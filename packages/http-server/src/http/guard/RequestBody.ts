/**
 * The JSON body of a request: its media type and size checked by the guard, its content by the endpoint.
 */
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import type * as Problem from "@quarterdeck/contract/Problem"
import { ByteSize, Context, Effect, Result, Schema } from "effect"
import { HttpIncomingMessage, HttpServerRequest } from "effect/http"
import { refuse } from "../refusal/Refusal.ts"
import * as StrictJson from "../request/StrictJson.ts"

/** Largest body of an authenticated request. */
export const MAX_BYTES = ByteSize.mebibytes(1)
/** Largest body of a sign-in, which is not yet authenticated. */
export const MAX_SIGN_IN_BYTES = ByteSize.kibibytes(4)

/** Text of the body that the guard admitted; empty if the request has no body. */
export const BodyText = Context.Reference<string>("@quarterdeck/http-server/BodyText", { defaultValue: () => "" })

const JSON_MEDIA_TYPE = /^application\/json\s*(?:;|$)/i

/** Fails with `unsupported_media_type` unless the Content-Type is JSON, even if the body is empty. */
export const requireJson: Effect.Effect<void, Problem.Problem, HttpServerRequest.HttpServerRequest> = Effect.gen(
  function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    if (JSON_MEDIA_TYPE.test(headers["content-type"] ?? "")) return
    return yield* refuse("unsupported_media_type", {
      detail: "a request with a session must have Content-Type: application/json",
      field: "Content-Type"
    })
  }
)

/**
 * Reads the body's text.
 *
 * **Errors** `unsupported_media_type` unless the body is JSON without a Content-Encoding; `body_too_large` above
 * `maxBytes`; `malformed_json` if the body cannot be read or is not UTF-8.
 */
export const read = (
  maxBytes: ByteSize.ByteSize
): Effect.Effect<string, Problem.Problem, HttpServerRequest.HttpServerRequest> =>
  Effect.gen(function* () {
    const tooLarge = refuse("body_too_large", { detail: `the body is over ${ByteSize.format(maxBytes)}` })
    const request = yield* HttpServerRequest.HttpServerRequest
    const mediaType = request.headers["content-type"]
    const announced = Number(request.headers["content-length"] ?? "0")
    if (mediaType !== undefined && !JSON_MEDIA_TYPE.test(mediaType)) {
      return yield* refuse("unsupported_media_type", {
        detail: "the body must be application/json",
        field: "Content-Type"
      })
    }
    const encoding = request.headers["content-encoding"]
    if (encoding !== undefined && !/^identity$/i.test(encoding)) {
      return yield* refuse("unsupported_media_type", {
        detail: "the body must be sent without a Content-Encoding",
        field: "Content-Encoding"
      })
    }
    if (announced > ByteSize.toNumberUnsafe(maxBytes)) return yield* tooLarge
    const bytes = yield* request.arrayBuffer.pipe(
      Effect.provideService(HttpIncomingMessage.MaxBodySize, maxBytes),
      Effect.catch((error) =>
        error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
          ? tooLarge
          : refuse("malformed_json", { detail: "the body could not be read" })
      )
    )
    if (mediaType === undefined && bytes.byteLength > 0) {
      return yield* refuse("unsupported_media_type", {
        detail: "the body must be application/json, and Content-Type must be set",
        field: "Content-Type"
      })
    }
    const text = decodeUtf8(bytes)
    if (Result.isFailure(text)) return yield* refuse("malformed_json", { detail: "the body is not UTF-8" })
    return text.success
  })

/**
 * Decodes the body that the guard read; an empty body is decoded as `{}`.
 *
 * **Errors** `malformed_json` (also for a duplicate member), `invalid_body` with the invalid field.
 */
export const decode = <S extends Schema.ConstraintDecoder<unknown>>(schema: S) => {
  const decodeValue = Schema.decodeUnknownEffect(schema, { onExcessProperty: "error" })
  return Effect.gen(function* () {
    const text = yield* BodyText
    const value = StrictJson.parse(text === "" ? "{}" : text)
    if (Result.isFailure(value)) {
      const { field, message } = value.failure
      return yield* refuse("malformed_json", field === undefined ? { detail: message } : { detail: message, field })
    }
    return yield* decodeValue(value.success).pipe(
      Effect.catch((error) => refuseFault(SchemaFault.fromIssue(error.issue)))
    )
  })
}

/** Fails with `invalid_body`. **Shape** a fault of the whole body has the field `body`. */
export const refuseFault = (fault: SchemaFault.SchemaFault): Effect.Effect<never, Problem.Problem> => {
  const field = fault.field === "" ? "body" : fault.field
  return refuse("invalid_body", { detail: SchemaFault.print({ ...fault, field }), field })
}

const decodeUtf8 = (bytes: ArrayBuffer) =>
  Result.try({ try: () => new TextDecoder("utf-8", { fatal: true }).decode(bytes), catch: () => "malformed" as const })
