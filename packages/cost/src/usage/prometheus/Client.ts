/**
 * Asks a server that speaks Prometheus' HTTP API: Prometheus, Thanos, Mimir, VictoriaMetrics.
 */
import { Masking } from "@quarterdeck/cluster-fanout"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Duration, Effect, Redacted, Result, Stream } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientError, type HttpClientResponse } from "effect/http"
import { UsageError } from "../UsageError.ts"
import type { Credentials, PrometheusAddress } from "../UsageSetting.ts"
import * as Answer from "./Answer.ts"
import * as RetryAfter from "./RetryAfterHeader.ts"

/** Where and as whom to ask, and how long and how much to take. */
export interface ClientOptions extends PrometheusAddress {
  /** Sent with every question: `Authorization` with a bearer token, `X-Scope-OrgID` for Mimir's tenant. */
  readonly headers?: Readonly<Record<string, Redacted.Redacted>>
  /** How many milliseconds one question may take. */
  readonly timeoutMs?: number
  /** How many bytes one answer may have. */
  readonly answerBytes?: number
}

/** When to ask. **Units** milliseconds since the epoch; both ends are asked. */
export interface Steps {
  readonly startMs: number
  readonly endMs: number
  readonly stepMs: number
}

export interface Client {
  /** Asks what an expression says at an instant. */
  readonly instant: (
    cluster: ClusterName,
    promql: string,
    atMs: number
  ) => Effect.Effect<ReadonlyArray<Answer.Line>, UsageError>
  /** Asks what an expression says at several instants. */
  readonly range: (
    cluster: ClusterName,
    promql: string,
    steps: Steps
  ) => Effect.Effect<ReadonlyArray<Answer.Line>, UsageError>
}

/** As long as Prometheus itself lets a question take unless told otherwise. */
const TIMEOUT_MS = 120_000
const ANSWER_BYTES = 64 * 1024 * 1024

/**
 * Makes a client.
 *
 * **Errors** of questions `UsageError`: no connection, a status other than 200, words of refusal, what is not JSON or not
 * of this API, longer than `answerBytes`, not whole within `timeoutMs`. No header and no password is in them.
 *
 * **Limits** one POST with a form each, no retries and no redirects of its own; neither traced, since headers may be secret.
 * Once the server has said `Retry-After`, nothing is asked of it until then: questions fail at once, with what is left.
 */
export const make = (options: ClientOptions): Effect.Effect<Client, never, HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (http): Client => {
    const { answerBytes = ANSWER_BYTES, timeoutMs = TIMEOUT_MS, url } = options
    const patience = RetryAfter.makePatience()
    const ask = Effect.fn("Prometheus.ask")(function* (
      cluster: ClusterName,
      path: string,
      form: Readonly<Record<string, string>>
    ) {
      yield* Effect.annotateCurrentSpan({ cluster, path })
      const failed = (problem: string, retryAfterMs = 0) =>
        new UsageError({ cluster, source: url, problem, ...(retryAfterMs > 0 ? { retryAfterMs } : {}) })
      const leftMs = patience.leftMs(yield* Clock.currentTimeMillis)
      if (leftMs > 0) {
        return yield* failed(`is left alone for ${Math.ceil(leftMs / 1_000)} s more, as it asked`, leftMs)
      }
      const request = withSecrets(HttpClientRequest.post(`${url}${path}`), options).pipe(
        HttpClientRequest.acceptJson,
        HttpClientRequest.bodyUrlParams({
          ...form,
          timeout: `${Math.ceil(timeoutMs / 1_000)}s`,
          partial_response: "false"
        })
      )
      const reply = exchange(http, request, answerBytes).pipe(
        Effect.timeoutOrElse({
          duration: Duration.millis(timeoutMs),
          orElse: () => Effect.fail(`did not answer within ${timeoutMs} ms`)
        }),
        Effect.tap((body) => Effect.map(Clock.currentTimeMillis, (nowMs) => patience.hear(body, nowMs))),
        Effect.flatMap((body) => Effect.fromResult(readBody(body))),
        Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
      )
      const answer = yield* Effect.result(reply)
      if (Result.isSuccess(answer)) return answer.success
      const askedMs = patience.leftMs(yield* Clock.currentTimeMillis)
      return yield* failed(masked(answer.failure, options), askedMs)
    })
    return {
      instant: (cluster, query, atMs) => ask(cluster, "/api/v1/query", { query, time: seconds(atMs) }),
      range: (cluster, query, { endMs, startMs, stepMs }) =>
        ask(cluster, "/api/v1/query_range", {
          query,
          start: seconds(startMs),
          end: seconds(endMs),
          step: seconds(stepMs)
        })
    }
  })

const seconds = (ms: number): string => String(ms / 1_000)

const withSecrets = (
  request: HttpClientRequest.HttpClientRequest,
  { credentials, headers = {} }: ClientOptions
): HttpClientRequest.HttpClientRequest => {
  const known =
    credentials === undefined
      ? request
      : HttpClientRequest.basicAuth(request, credentials.username, credentials.password)
  return Object.entries(headers).reduce(
    (all, [name, value]) => HttpClientRequest.setHeader(all, name, Redacted.value(value)),
    known
  )
}

interface Body extends RetryAfter.Reply {
  readonly text: string
}

const exchange = (
  http: HttpClient.HttpClient,
  request: HttpClientRequest.HttpClientRequest,
  limitBytes: number
): Effect.Effect<Body, string> =>
  Effect.gen(function* () {
    const response = yield* http.execute(request).pipe(Effect.mapError(describe))
    const { headers, status } = response
    return { status, retryAfter: headers["retry-after"], text: yield* take(response, limitBytes) }
  })

const take = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse, limitBytes: number) {
  const pieces: Array<Uint8Array> = []
  let bytes = 0
  yield* response.stream.pipe(
    Stream.mapError(describe),
    Stream.runForEach((piece) => {
      bytes += piece.byteLength
      if (bytes > limitBytes) return Effect.fail(`the answer is longer than ${limitBytes} bytes`)
      pieces.push(piece)
      return Effect.void
    })
  )
  return Buffer.concat(pieces, bytes).toString("utf8")
})

const describe = ({ reason }: HttpClientError.HttpClientError): string => {
  if (reason._tag === "EmptyBodyError") return "answered nothing"
  const code = codeOf("cause" in reason ? reason.cause : undefined, 4)
  return reason._tag === "DecodeError" ? `broke off (${code})` : `cannot be reached (${code})`
}

/** The code of an error or of what caused it; of several tried addresses, the first one's. */
const codeOf = (thrown: unknown, depth: number): string => {
  if (depth === 0 || !(thrown instanceof Error)) return "no connection"
  if ("code" in thrown && typeof thrown.code === "string" && /^[A-Z0-9_]{1,64}$/.test(thrown.code)) return thrown.code
  return codeOf(thrown instanceof AggregateError ? thrown.errors[0] : thrown.cause, depth - 1)
}

const readBody = ({ status, text }: Body): Result.Result<ReadonlyArray<Answer.Line>, string> => {
  const json = Result.try({ try: (): unknown => JSON.parse(text), catch: () => "the answer is not JSON" })
  if (status === 200) return Result.flatMap(json, Answer.read)
  const said = Result.isSuccess(json) ? Answer.refusalOf(json.success) : undefined
  return Result.fail(`answered ${status}${statusHint(status, said)}`)
}

const statusHint = (status: number, said: string | undefined): string => {
  if (status === 401 || status === 403) return ": it refuses the credentials that it was given, or wants some"
  if (status >= 300 && status < 400) return ": a redirect, and redirects are not followed"
  if (said !== undefined) return `: ${said}`
  return status === 404 ? ": no query API there; give the address that comes before /api/v1" : ""
}

const MAX_PROBLEM = 256

const masked = (problem: string, { credentials, headers = {} }: ClientOptions): string =>
  Masking.mask(problem, {
    limit: MAX_PROBLEM,
    secrets: [
      ...(credentials === undefined ? [] : passwordsOf(credentials)),
      ...Object.values(headers).map(Redacted.value)
    ].flatMap(secretParts)
  })

const passwordsOf = ({ password, username }: Credentials): ReadonlyArray<string> => {
  const plain = Redacted.value(password)
  return [plain, Buffer.from(`${username}:${plain}`).toString("base64")]
}

/** A bearer token is secret without the word before it, too. */
const secretParts = (secret: string): ReadonlyArray<string> => [secret, ...secret.split(" ").slice(1)]
