/**
 * `GET /api/v1/pods/{cluster}/{namespace}/{name}/logs`.
 */
import { type PodLogError, PodLogs } from "@quarterdeck/cluster-fanout/PodLogs"
import { Api } from "@quarterdeck/contract/Api"
import { DEFAULT_TAIL_LINES, TRUNCATED_HEADER } from "@quarterdeck/contract/PodGroup"
import type * as Problem from "@quarterdeck/contract/Problem"
import * as Rule from "@quarterdeck/keys/Rule"
import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Deadlines } from "../lists/ListPage.ts"
import * as ListRefusal from "../refusal/ListRefusal.ts"
import { refuse } from "../refusal/Refusal.ts"
import * as TargetResolution from "../guard/TargetResolution.ts"
import * as LogStream from "../stream/LogStream.ts"

export const LogHandlers = HttpApiBuilder.group(
  Api,
  "pod",
  Effect.fn(function* (handlers) {
    const logs = yield* PodLogs
    const stream = yield* LogStream.make
    return handlers.handle(
      "logs",
      Effect.fnUntraced(function* ({ params, query }) {
        const { container, follow, previous, sinceSeconds, tailLines = DEFAULT_TAIL_LINES, timestamps } = query
        yield* TargetResolution.requireHeaderOf(params.cluster)
        const { rule } = (yield* TargetResolution.admit).principal
        const { maxTimeoutMs } = yield* Deadlines
        const asked = {
          ...params,
          namespaces: Rule.namespaceFilter(rule),
          isPrevious: previous === "true",
          hasTimestamps: timestamps === "true",
          tailLines,
          timeoutMs: maxTimeoutMs,
          ...(container === undefined ? {} : { container }),
          ...(sinceSeconds === undefined ? {} : { sinceSeconds })
        }
        if (follow === "true") return yield* stream(logs.follow(asked).pipe(Effect.catch(refusal)))
        const { bytes, isCut } = yield* logs.read(asked).pipe(Effect.catch(refusal))
        return HttpServerResponse.uint8Array(bytes, {
          contentType: "text/plain; charset=utf-8",
          ...(isCut ? { headers: { [TRUNCATED_HEADER]: "true" } } : {})
        })
      })
    )
  })
)

const refusal = (error: PodLogError): Effect.Effect<never, Problem.Problem> => {
  switch (error._tag) {
    case "PodNotFound":
      return refuse("pod_not_found", { detail: error.message, field: "name" })
    case "ContainerUnclear":
      return refuse("invalid_parameter", { detail: error.message, field: "container" })
    case "LogsUnavailable":
      return refuse("logs_unavailable", { detail: error.message })
    case "FanOutFailed":
    case "NamespaceForbidden":
      return ListRefusal.fromError(error)
  }
}
