/**
 * One server span for each request, without attributes that may contain a secret.
 *
 * Effect's own server span contains the whole URL, and so would export a key that a client puts into a path or query.
 */
import { Data, Effect, Option } from "effect"
import { HttpMiddleware, type HttpServerRequest, type HttpServerResponse, HttpTraceContext } from "effect/http"
import type { RequestRecord } from "./RequestRecord.ts"

/** Disables Effect's own server span, if the service is not mounted in a host's server. */
export const withoutServerSpan = Effect.provideService(HttpMiddleware.TracerDisabledWhen, () => true)

/** Marks the span of a 5xx reply as failed. **Source** OpenTelemetry, "Semantic conventions for HTTP spans". */
class RequestFailed extends Data.TaggedError("RequestFailed")<{
  readonly response: HttpServerResponse.HttpServerResponse
  readonly code: string
}> {
  override get message(): string {
    return this.code
  }
}

/**
 * Makes the function that runs the handler of a request in a server span. The span continues the trace of the caller's
 * headers.
 *
 * **Shape** attributes are the method, the route's pattern (set by the router), the status, the problem's code and the
 * request's id; never the path, query, headers or body.
 */
export const trace = (method: string, request: HttpServerRequest.HttpServerRequest, record: RequestRecord) => {
  const name = `${method} request`
  const parent = Option.getOrUndefined(HttpTraceContext.fromHeaders(request.headers))
  return <R>(answer: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>) =>
    answer.pipe(
      Effect.tap(({ status }) =>
        Effect.annotateCurrentSpan({
          "http.request.method": method,
          "http.response.status_code": status,
          "quarterdeck.requestId": record.requestId,
          ...(record.problem === undefined ? {} : { "error.type": record.problem })
        })
      ),
      Effect.flatMap((response) =>
        response.status < 500
          ? Effect.succeed(response)
          : Effect.fail(new RequestFailed({ response, code: record.problem ?? String(response.status) }))
      ),
      Effect.withSpan(name, parent === undefined ? { kind: "server" } : { kind: "server", parent }),
      Effect.catchTag("RequestFailed", ({ response }) => Effect.succeed(response))
    )
}
