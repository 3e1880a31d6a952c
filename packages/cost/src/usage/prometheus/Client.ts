/**
 * A client of Prometheus' HTTP API, for Prometheus, Thanos, Mimir and VictoriaMetrics.
 */
import { Masking } from "@quarterdeck/cluster-fanout"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Clock, Duration, Effect, Redacted, Result, Stream } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientError, type HttpClientResponse } from "effect/http"
import { UsageError } from "../UsageError.ts"
import type { Credentials, PrometheusAddress } from "../UsageSetting.ts"
import * as Answer from "./Answer.ts"
import * as RetryAfter from "./RetryAfterHeader.ts"

/** The address, credentials and limits of a client. */
export interface ClientOptions extends PrometheusAddress {
  /** Extra headers, such as `Authorization` with a bearer token, or `X-Scope-OrgID` for Mimir's tenant. */
  readonly headers?: Readonly<Record<string, Redacted.Redacted>>
  /** Timeout of one query. */
  readonly timeoutMs?: number
  /** Maximum size of one response. */
  readonly answerBytes?: number
}

/** The evaluation times of a range query, both ends included. **Units** milliseconds since the epoch. */
export interface Steps {
  readonly startMs: number
  readonly endMs: number
  readonly stepMs: number
}

export interface Client {
  /** Evaluates an expression at an instant. */
  readonly instant: (
    cluster: ClusterName,
    promql: string,
    atMs: number
  ) => Effect.Effect<ReadonlyArray<Answer.Line>, UsageError>
  /** Evaluates an expression at several instants. */
  readonly range: (
    cluster: ClusterName,
    promql: string,
    steps: Steps
  ) => Effect.Effect<ReadonlyArray<Answer.Line>, UsageError>
}

/** The default query timeout of Prometheus. */
const TIMEOUT_MS = 120_000
const ANSWER_BYTES = 64 * 1024 * 1024

/**
 * Creates a client.
 *
 * **Errors** queries fail with `UsageError`: no connection, a status other than 200, an invalid response, one above
 * `answerBytes`, or a timeout. Errors contain no header and no password.
 *
 * **Limits** one POST per query, without retries. Redirects and tracing are disabled, because headers may be secret. After a
 * `Retry-After`, queries fail at once until that time has passed. Their errors contain the remaining time.
 */
export const make = (options: ClientOptions): Effect.Effect<Client, never, HttpClient.HttpClient> =>
  Effect.map(HttpClient.HttpClient, (http): Client => {
    const { answerBytes = ANSWER_BYTES, timeoutMs = TIMEOUT_MS, url } = options
    const cooldown = RetryAfter.makeCooldown()
    const ask = Effect.fn("Prometheus.ask")(function* (
      cluster: ClusterName,
      path: string,
      form: Readonly<Record<string, string>>
    ) {
      yield* Effect.annotateCurrentSpan({ cluster, path })
      const failed = (problem: string, retryAfterMs = 0) =>
        new UsageError({ cluster, source: url, problem, ...(retryAfterMs > 0 ? { retryAfterMs } : {}) })
      const leftMs = cooldown.leftMs(yield* Clock.currentTimeMillis)
      if (leftMs > 0) {
        return yield* failed(`asked for no queries for ${Math.ceil(leftMs / 1_000)} s more (Retry-After)`, leftMs)
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
        Effect.tap((body) => Effect.map(Clock.currentTimeMillis, (nowMs) => cooldown.record(body, nowMs))),
        Effect.flatMap((body) => Effect.fromResult(readBody(body))),
        Effect.provideService(HttpClient.TracerDisabledWhen, () => true)
      )
      const answer = yield* Effect.result(reply)
      if (Result.isSuccess(answer)) return answer.success
      const askedMs = cooldown.leftMs(yield* Clock.currentTimeMillis)
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

/** Returns the code of an error or of its cause. If several addresses were tried, returns the code of the first. */
const codeOf = (thrown: unknown, depth: number): string => {
  if (depth === 0 || !(thrown instanceof Error)) return "no connection"
  if ("code" in thrown && typeof thrown.code === "string" && /^[A-Z0-9_]{1,64}$/.test(thrown.code)) return thrown.code
  return codeOf(thrown instanceof AggregateError ? thrown.errors[0] : thrown.cause, depth - 1)
}

const readBody = ({ status, text }: Body): Result.Result<ReadonlyArray<Answer.Line>, string> => {
  const json = Result.try({ try: (): unknown => JSON.parse(text), catch: () => "the answer is not JSON" })
  if (status === 200) return Result.flatMap(json, Answer.read)
  const refusal = Result.isSuccess(json) ? Answer.refusalOf(json.success) : undefined
  return Result.fail(`answered ${status}${statusHint(status, refusal)}`)
}

const statusHint = (status: number, refusal: string | undefined): string => {
  if (status === 401 || status === 403) return ": missing or invalid credentials"
  if (status >= 300 && status < 400) return ": redirects are not followed"
  if (refusal !== undefined) return `: ${refusal}`
  return status === 404 ? ": no query API at this address; configure the part before /api/v1" : ""
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

/** Lists the texts to mask for a secret header: the whole value, and a bearer token without its scheme. */
const secretParts = (secret: string): ReadonlyArray<string> => [secret, ...secret.split(" ").slice(1)]
