/**
 * One server span for each request, without what could hold a secret.
 *
 * Effect's own server span carries the whole URL; a key that somebody puts into a path or a query would be exported.
 */
import { Data, Effect, Option } from "effect"
import { HttpMiddleware, type HttpServerRequest, type HttpServerResponse, HttpTraceContext } from "effect/http"
import type { RequestRecord } from "./RequestRecord.ts"

/** Keeps Effect's own server span from being made, where the service is the whole server. */
export const withoutServerSpan = Effect.provideService(HttpMiddleware.TracerDisabledWhen, () => true)

/** A reply of 5xx fails the span, and nothing else. **Source** OpenTelemetry, "Semantic conventions for HTTP spans". */
class RequestFailed extends Data.TaggedError("RequestFailed")<{
  readonly response: HttpServerResponse.HttpServerResponse
  readonly code: string
}> {
  override get message(): string {
    return this.code
  }
}

/**
 * Runs what answers a request in a span.
 *
 * **Shape** the method, the route's pattern (set by the router), the status, the problem's code and the request's id;
 * never the path, query, headers or body. Continues the trace that the caller's headers name.
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
