/** The connections of {@link ClusterApi}: one pool for calls and one for watches. Both close with the scope. */
import { Effect, Option, Redacted, Ref, type Scope } from "effect"
import { type Dispatcher, Pool } from "undici"
import { ApiEnded, ApiError, ApiUnreachable } from "./ApiError.ts"
import type { InProcess } from "@quarterdeck/embedded-cluster"

/** Maximum number of parallel calls. Further calls wait for a connection. */
const CONNECTIONS = 16
const DEADLINE_MS = 30_000
const KEEP_ALIVE_MS = 60_000

/** One HTTP request to the API server. */
export interface ApiRequest {
  readonly method: InProcess.WireCall["method"]
  readonly path: string
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>
  readonly body?: unknown
  readonly contentType?: string
  readonly accept?: string
}

/** A client certificate with its private key, sent in the TLS handshake. */
export interface ClientCertificate {
  readonly certificatePem: string
  readonly keyPem: Redacted.Redacted<string>
}

/** Sends requests to one API server. An empty token sends no `Authorization` header. */
export interface ApiTransport {
  readonly call: (request: ApiRequest, token: Redacted.Redacted<string>) => Effect.Effect<InProcess.ApiReply, ApiError>
  /** Opens a response that streams without end, such as a watch. Closing the scope aborts it. */
  readonly open: (
    request: ApiRequest,
    token: Redacted.Redacted<string>
  ) => Effect.Effect<Dispatcher.ResponseData, ApiError, Scope.Scope>
  /** Drops every connection; the next call opens a new one. */
  readonly reconnect: Effect.Effect<void>
}

/** Creates a transport. Calls that `answer` handles in this process need no connection. */
export const make = (options: {
  readonly cluster: string
  readonly server: string
  readonly caPem: string
  readonly certificate?: ClientCertificate
  readonly answer?: InProcess.AnswerInProcess
}): Effect.Effect<ApiTransport, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { answer = () => Effect.succeedNone, certificate } = options
    const connect = {
      ca: options.caPem,
      ...(certificate === undefined
        ? {}
        : { cert: certificate.certificatePem, key: Redacted.value(certificate.keyPem) })
    }
    const opened = () => ({
      calls: new Pool(options.server, { connect, connections: CONNECTIONS, keepAliveTimeout: KEEP_ALIVE_MS }),
      watches: new Pool(options.server, { connect, connections: null })
    })
    const destroyed = ({ calls, watches }: ReturnType<typeof opened>) =>
      Effect.promise(() => Promise.all([calls.destroy(), watches.destroy()]))
    const ended = yield* Ref.make(false)
    const pools = yield* Effect.acquireRelease(Ref.make(opened()), (current) =>
      Effect.andThen(Ref.set(ended, true), Effect.flatMap(Ref.get(current), destroyed))
    )
    const checkAlive = Effect.fnUntraced(function* ({ method, path }: ApiRequest) {
      if (!(yield* Ref.get(ended))) return
      return yield* new ApiError({ cluster: options.cluster, method, path, reason: new ApiEnded() })
    })
    const failed = (request: ApiRequest) => (cause: unknown) =>
      new ApiError({
        cluster: options.cluster,
        method: request.method,
        path: request.path,
        reason: new ApiUnreachable({ cause })
      })

    return {
      call: Effect.fnUntraced(function* (request, token) {
        yield* checkAlive(request)
        const wireCall = wire(request, token)
        const inProcess = yield* answer(wireCall)
        if (Option.isSome(inProcess)) return inProcess.value
        const { calls } = yield* Ref.get(pools)
        return yield* Effect.tryPromise({
          try: async (signal): Promise<InProcess.ApiReply> => {
            const { statusCode, headers, body } = await calls.request({
              ...wireCall,
              signal,
              headersTimeout: DEADLINE_MS,
              bodyTimeout: DEADLINE_MS
            })
            return { status: statusCode, headers, text: await body.text() }
          },
          catch: failed(request)
        })
      }),
      open: Effect.fnUntraced(function* (request, token) {
        yield* checkAlive(request)
        const { watches } = yield* Ref.get(pools)
        const ending = yield* Effect.acquireRelease(
          Effect.sync(() => new AbortController()),
          (controller) => Effect.sync(() => controller.abort())
        )
        return yield* Effect.tryPromise({
          try: () => watches.request({ ...wire(request, token), signal: ending.signal, bodyTimeout: 0 }),
          catch: failed(request)
        })
      }),
      reconnect: Effect.flatMap(Ref.get(ended), (isEnded) =>
        isEnded ? Effect.void : Effect.suspend(() => Effect.flatMap(Ref.getAndSet(pools, opened()), destroyed))
      )
    }
  })

const wire = (request: ApiRequest, token: Redacted.Redacted<string>): InProcess.WireCall => ({
  method: request.method,
  path: request.path + queryOf(request.query),
  headers: {
    ...(Redacted.value(token) === "" ? {} : { authorization: `Bearer ${Redacted.value(token)}` }),
    accept: request.accept ?? "application/json",
    ...(request.body === undefined ? {} : { "content-type": request.contentType ?? "application/json" })
  },
  ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) })
})

const queryOf = (query: ApiRequest["query"]): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined) parameters.append(name, String(value))
  }
  return parameters.size === 0 ? "" : `?${parameters.toString()}`
}
