/**
 * One request from beginning to end: what answers it, and who is told of it.
 */
import { ClusterRegistry } from "@quarterdeck/cluster-fanout/ClusterRegistry"
import { Authenticator } from "@quarterdeck/keys/Authenticator"
import { Clock, Effect } from "effect"
import { HttpServerRequest, type HttpServerResponse } from "effect/http"
import * as RefusalLog from "../../limits/RefusalLog.ts"
import * as AccessLog from "./AccessLog.ts"
import { AuditTrail } from "./AuditTrail.ts"
import * as RequestRecord from "../request/RequestRecord.ts"
import * as RequestSpan from "../request/RequestSpan.ts"

/** What a request counts as whose caller did not wait for the reply. */
const LEFT = 499

/**
 * Makes the function that runs what answers a request, under its record, and tells span, audit, log, metrics and the key's
 * last use of it.
 */
export const make = Effect.gen(function* () {
  const authenticator = yield* Authenticator
  const trail = yield* AuditTrail
  const registry = yield* ClusterRegistry
  const refusalLog = yield* RefusalLog.make

  /**
   * Tells the audit first: the log is not what a caller's change must be found in. Of one that left it tells what was done,
   * and the log that it left.
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
