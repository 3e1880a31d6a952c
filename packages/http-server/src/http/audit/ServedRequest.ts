/**
 * Serves one request, and records it in span, audit, log and metrics.
 */
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { Authenticator } from "@quarterdeck/keys/Authenticator"
import { Clock, Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import { RefusalLines } from "../../limits/RefusalLog.ts"
import * as AccessLog from "./AccessLog.ts"
import { AuditTrail } from "./AuditTrail.ts"
import * as RequestRecord from "../request/RequestRecord.ts"
import * as RequestSpan from "../request/RequestSpan.ts"

/** Logged status of a request whose caller disconnected before the reply. */
const LEFT = 499

/**
 * Makes the function that runs the handler of a request with its record. Afterwards it writes audit, log and metrics, and
 * updates the key's last use.
 */
export const make = Effect.gen(function* () {
  const authenticator = yield* Authenticator
  const trail = yield* AuditTrail
  const registry = yield* ClusterRegistry
  const refusalLog = yield* RefusalLines

  /**
   * Writes the audit before the log, because the audit is the authoritative record of a change. If the caller disconnected,
   * the audit has the status of the completed work, and the log has 499.
   */
  const end = Effect.fnUntraced(function* (
    method: string,
    status: number,
    record: RequestRecord.RequestRecord,
    startedAt: number
  ) {
    const durationMs = (yield* Clock.currentTimeMillis) - startedAt
    if (!record.isLasting) yield* trail.end(record, method, status === LEFT ? (record.outcome ?? LEFT) : status)
    yield* AccessLog.write(method, status, record, durationMs, refusalLog)
  })

  return Effect.fnUntraced(function* <R>(
    request: HttpServerRequest.HttpServerRequest,
    record: RequestRecord.RequestRecord,
    answer: Effect.Effect<HttpServerResponse.HttpServerResponse, never, R>
  ) {
    const startedAt = yield* Clock.currentTimeMillis
    const response = yield* answer.pipe(
      RequestSpan.trace(AccessLog.methodOf(request.method), request, record),
      Effect.provideService(RequestRecord.CurrentRequest, record),
      Effect.provideService(HttpServerRequest.HttpServerRequest, request),
      Effect.provideService(ClusterRegistry, registry),
      Effect.annotateLogs({ requestId: record.requestId }),
      Effect.onInterrupt(() => end(request.method, LEFT, record, startedAt))
    )
    if (response.status < 400 && record.user !== undefined) yield* authenticator.noteUse(record.user)
    yield* end(request.method, response.status, record, startedAt)
    return response
  })
})
