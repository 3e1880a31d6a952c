/**
 * Forwards requests to the servers of APIService objects.
 *
 * **Source** Kubernetes, `k8s.io/kube-aggregator/pkg/apiserver`.
 */
import { Effect, Result, type Scope } from "effect"
import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import { pipeline } from "node:stream/promises"
import type { Dispatcher } from "undici"
import type { AggregatedApi } from "../core/AggregatedApis.ts"
import type { ApiRequest } from "../core/ApiRequest.ts"
import type { Kernel } from "../core/Kernel.ts"
import { connect, headersOf, originOf, why } from "./AggregatedServers.ts"
import * as Availability from "./Availability.ts"
import * as ReplyWriter from "./ReplyWriter.ts"

/** A request for another server's API. */
interface Forwarded {
  readonly api: AggregatedApi
  readonly request: ApiRequest
}

export interface Aggregator {
  /** Forwards a request and its reply. Replies 503 with the reason if the server does not answer. */
  readonly forward: (response: ServerResponse, forwarded: Forwarded) => Effect.Effect<void>
  /** Maintains the condition `Available` of every APIService until the scope closes. */
  readonly watch: Effect.Effect<void, never, Scope.Scope>
}

/** Makes the aggregator of a cluster. */
export const make = (kernel: Kernel): Effect.Effect<Aggregator, never, Scope.Scope> =>
  Effect.map(connect, (send) => {
    const { recheck, watch } = Availability.make(kernel, send)
    const forward = (response: ServerResponse, { api, request }: Forwarded): Effect.Effect<void> =>
      Effect.gen(function* () {
        const origin = originOf(kernel, api)
        if (!api.available || origin === undefined) return yield* refuse(response, "service unavailable\n")
        const query = request.query.toString()
        const answered = yield* Effect.result(
          send(api, origin, {
            method: methodOf(request.method),
            path: query === "" ? request.path : `${request.path}?${query}`,
            headers: headersFor(request),
            body: request.body === "" ? null : request.body
          })
        )
        if (Result.isFailure(answered)) {
          recheck(api)
          return yield* refuse(response, `error trying to reach service: ${why(answered.failure.cause)}\n`)
        }
        const { body, headers, statusCode } = answered.success
        response.writeHead(statusCode, forwardedHeaders(headers))
        response.flushHeaders()
        // If the server's stream breaks, the client's connection breaks too.
        yield* Effect.tryPromise((signal) => pipeline(body, response, { signal })).pipe(
          Effect.catch(() => Effect.sync(() => response.destroy()))
        )
      })
    return { forward, watch }
  })

const refuse = (response: ServerResponse, text: string): Effect.Effect<void> =>
  ReplyWriter.whole(response, 503, "text/plain; charset=utf-8", text)

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const

const methodOf = (method: string): Dispatcher.HttpMethod => METHODS.find((one) => one === method) ?? "GET"

const headersFor = (request: ApiRequest): Record<string, string | Array<string>> => ({
  ...headersOf(request.user),
  ...(request.accept === undefined ? {} : { accept: request.accept }),
  ...(request.contentType === "" ? {} : { "content-type": request.contentType }),
  ...(request.userAgent === "" ? {} : { "user-agent": request.userAgent })
})

/** Headers that belong to one connection alone. */
const HOP = new Set(["connection", "keep-alive", "transfer-encoding", "upgrade", "trailer"])

const forwardedHeaders = (headers: IncomingHttpHeaders): Record<string, string | Array<string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value === undefined || HOP.has(name) ? [] : [[name, value]]))
  )
