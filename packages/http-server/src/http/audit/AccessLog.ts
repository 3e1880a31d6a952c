/**
 * One structured log line and two metrics for each request. Log lines of refused requests are rate limited.
 */
import { type Context, Effect, Metric } from "effect"
import type { RefusalLog } from "../../limits/RefusalLog.ts"
import type { RequestRecord } from "../request/RequestRecord.ts"

const requests = Metric.counter("quarterdeck_http_requests_total", {
  description: "Requests by method, route and status",
  incremental: true
})

const seconds = Metric.histogram("quarterdeck_http_request_seconds", {
  description: "Time from the request's headers to its response, by route",
  boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
})

/**
 * Writes the log line of a finished request and updates both metrics.
 *
 * **Shape** refused requests above the log's rate are summarized in one line; the metrics count each. The line has the
 * route's pattern and the key's id, never the path, query, headers or body, which may contain a secret.
 *
 * **Units** `durationMs` in milliseconds.
 */
export const write = (
  method: string,
  status: number,
  record: RequestRecord,
  durationMs: number,
  refusals: RefusalLog
): Effect.Effect<void> =>
  Effect.contextWith((services: Context.Context<never>) => {
    const route = record.route ?? "unmatched"
    const known = methodOf(method)
    counterOf(known, route, status).updateUnsafe(1, services)
    histogramOf(route).updateUnsafe(durationMs / 1_000, services)
    const { clientAddress, problem } = record
    const isRefused = problem !== undefined && status >= 400 && status < 499
    if (isRefused && !refusals.hasLine({ address: clientAddress, problem })) return Effect.void
    return Effect.annotateLogs(PROBES.has(route) ? PROBE_LINE : LINE, {
      requestId: record.requestId,
      method: known,
      route,
      status,
      durationMs,
      ...(record.via === "mcp" ? { via: record.via } : {}),
      ...(clientAddress === undefined ? {} : { clientAddress }),
      ...(record.keyId === undefined ? {} : { keyId: record.keyId }),
      ...(problem === undefined ? {} : { problem })
    })
  })

const LINE = Effect.logInfo("request")
/** Probes are logged at debug level: one every few seconds would hide the other requests. */
const PROBE_LINE = Effect.logDebug("request")

const counters = new Map<string, typeof requests>()
const histograms = new Map<string, typeof seconds>()

/** Returns the counter of a method, route and status from a cache. All three have few values, which bounds the cache. */
const counterOf = (method: string, route: string, status: number): typeof requests => {
  const name = `${method} ${status} ${route}`
  const held = counters.get(name)
  if (held !== undefined) return held
  const made = Metric.withAttributes(requests, { method, route, status: String(status) })
  counters.set(name, made)
  return made
}

const histogramOf = (route: string): typeof seconds => {
  const held = histograms.get(route)
  if (held !== undefined) return held
  const made = Metric.withAttributes(seconds, { route })
  histograms.set(route, made)
  return made
}

const PROBES = new Set(["/healthz", "/readyz"])

/** Returns the name of a method in logs, metrics and spans. An unknown method is `other`, to bound the number of labels. */
export const methodOf = (method: string): string => (KNOWN_METHODS.has(method) ? method : "other")

const KNOWN_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
