/**
 * Calls the server's API. Each failure is explained in one line.
 */
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import { Problem } from "@quarterdeck/contract/Problem"
import { ByteSize, Data, Effect, Redacted, Result, Schema, Stream } from "effect"
import { Sse } from "effect/encoding"
import { HttpClient, HttpClientRequest, type HttpClientResponse, HttpIncomingMessage } from "effect/http"
import { type CommandFailure, failed, misused } from "../print/CommandFailure.ts"
import type { Connection } from "./Connection.ts"
import * as CoverageNotes from "../print/CoverageNotes.ts"
import { explain } from "./TransportProblem.ts"

/** A request. **Shape** `path` starts with a slash and is encoded. A query parameter may occur more than once. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly path: string
  readonly query?: ReadonlyArray<readonly [name: string, value: string]>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** An error status whose body is decoded like a success if it has this media type. */
  readonly accepts?: { readonly status: number; readonly mediaType: string }
  /** The flag or argument of each request field. Errors name it instead of the field. */
  readonly flags?: Readonly<Record<string, string>>
}

/** Timeout of a request: longer than any deadline of the server, with time for a slow connection. */
const TIMEOUT = "60 seconds"
/** Maximum size of a reply, several times a full page of rows with labels. */
const MAX_ANSWER = ByteSize.mebibytes(128)

/**
 * Calls an endpoint and decodes its reply.
 *
 * **Errors** `CommandFailure` for a failed connection, a reply of another shape, or a problem of the server. The exit code is 2
 * if the server refused the value of a flag (HTTP 400).
 *
 * **Limits** one request, 60 s, 128 MiB. Redirects are not followed, so the key reaches no other address.
 */
export const call = Effect.fn("ApiClient.call")(function* <A>(
  connection: Connection,
  schema: Schema.Decoder<A>,
  request: Call
) {
  const body = yield* send(connection, request)
  const json = yield* Effect.fromResult(parse(body)).pipe(Effect.mapError(() => notJson(connection, body)))
  const decoded = Schema.decodeUnknownResult(schema)(json)
  if (Result.isSuccess(decoded)) return decoded.success
  const fault = SchemaFault.print(SchemaFault.fromIssue(decoded.failure.issue))
  return yield* failed(`${connection.base}: this version of the program cannot read the reply: ${fault}`)
})

/**
 * Calls an endpoint that replies with plain text.
 *
 * **Errors** and **Limits** as {@link call}.
 */
export const text = Effect.fn("ApiClient.text")(function* (connection: Connection, request: Call) {
  const body = yield* send(connection, request, PLAIN)
  return body.mediaType === PLAIN ? body.text : yield* notJson(connection, body)
})

/**
 * Calls an endpoint that replies without a body.
 */
export const run = Effect.fn("ApiClient.run")(function* (connection: Connection, request: Call) {
  yield* send(connection, request)
})

/**
 * Streams the reply of an endpoint that returns CSV.
 *
 * **Errors** `CommandFailure` as {@link call}, also for a truncated reply.
 *
 * **Limits** one request, any length. Fails after 60 s without data.
 */
export const download = (
  connection: Connection,
  request: Call
): Stream.Stream<Uint8Array, CommandFailure, HttpClient.HttpClient> =>
  parts(connection, request, CSV).pipe(
    Stream.timeoutOrElse({
      duration: TIMEOUT,
      orElse: () => Stream.fail(failed(`${connection.base}: no answer within ${TIMEOUT}`))
    })
  )

/**
 * Streams the plain text reply of an endpoint. The reply may last for any time.
 *
 * **Errors** `CommandFailure` as {@link download}. **Limits** one request, 60 s until the reply starts.
 */
export const follow = (
  connection: Connection,
  request: Call
): Stream.Stream<Uint8Array, CommandFailure, HttpClient.HttpClient> => parts(connection, request, PLAIN)

const parts = (connection: Connection, request: Call, mediaType: string) => {
  const opening = Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const response = yield* client.execute(toRequest(connection, request, mediaType))
    const head = headOf(response)
    if (response.status === 200 && head.mediaType === mediaType) return response.stream
    const body = { ...head, text: yield* response.text }
    return yield* response.status === 200 ? notJson(connection, body) : refusal(connection, request, body, response)
  }).pipe(
    Effect.timeoutOrElse({
      duration: TIMEOUT,
      orElse: () => Effect.fail(failed(`${connection.base}: no answer within ${TIMEOUT}`))
    })
  )
  return Stream.unwrap(opening).pipe(
    Stream.catchTag("HttpClientError", ({ reason }) => Stream.fail(failed(`${connection.base}: ${explain(reason)}`)))
  )
}

/** A stream of events broke for a temporary reason, so a retry may succeed. **Shape** `failure` is the reason. */
export class StreamLost extends Data.TaggedError("StreamLost")<{ readonly failure: CommandFailure }> {}

/** Statuses of temporary failures. */
const PASSING: ReadonlySet<number> = new Set([429, 500, 502, 503, 504])

/**
 * Streams the server-sent events of an endpoint. Events of one chunk form one array.
 *
 * **Errors** `StreamLost` for a connection that failed, broke or fell silent, and for a busy server; else `CommandFailure` as
 * {@link call}.
 *
 * **Limits** one request, 10 MiB an event. Fails after 60 s without data; the server sends a comment every 15 s.
 */
export const events = (
  connection: Connection,
  request: Call
): Stream.Stream<ReadonlyArray<Sse.Event>, CommandFailure | StreamLost, HttpClient.HttpClient> => {
  const lost = (reason: string) => new StreamLost({ failure: failed(`${connection.base}: ${reason}`) })
  return Stream.unwrap(
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const response = yield* client.execute(toRequest(connection, request, EVENTS))
      const head = headOf(response)
      if (response.status === 200 && head.mediaType === EVENTS) return Stream.decodeText(response.stream)
      const body = { ...head, text: yield* response.text }
      if (response.status === 200) return yield* notJson(connection, body)
      const failure = refusal(connection, request, body, response)
      return yield* PASSING.has(response.status) ? new StreamLost({ failure }) : failure
    })
  ).pipe(
    Stream.timeoutOrElse({ duration: TIMEOUT, orElse: () => Stream.fail(lost(`nothing came for ${TIMEOUT}`)) }),
    Stream.catchTag("HttpClientError", ({ reason }) => Stream.fail(lost(explain(reason)))),
    parsed(connection)
  )
}

const parsed =
  (connection: Connection) =>
  <E, R>(texts: Stream.Stream<string, E, R>): Stream.Stream<ReadonlyArray<Sse.Event>, E | CommandFailure, R> =>
    Stream.suspend(() => {
      let received: Array<Sse.Event> = []
      const parser = Sse.makeParser((event) => {
        if (event._tag === "Event") received.push(event)
      })
      return Stream.mapEffect(texts, (text) => {
        const fault = parser.feed(text)
        if (fault !== undefined) return Effect.fail(failed(`${connection.base}: ${fault.message}`))
        const chunk = received
        received = []
        return Effect.succeed(chunk)
      })
    })

const JSON_TYPE = "application/json"
const EVENTS = "text/event-stream"
const CSV = "text/csv"
const PLAIN = "text/plain"

/** A reply with its body. */
interface Body {
  readonly status: number
  readonly mediaType: string
  readonly text: string
}

const send = (
  connection: Connection,
  call: Call,
  mediaType?: string
): Effect.Effect<Body, CommandFailure, HttpClient.HttpClient> =>
  Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const response = yield* client.execute(toRequest(connection, call, mediaType))
    const body: Body = { ...headOf(response), text: yield* response.text }
    if (body.status >= 200 && body.status < 300) return body
    if (body.status === call.accepts?.status && body.mediaType === call.accepts.mediaType) return body
    return yield* refusal(connection, call, body, response)
  }).pipe(
    Effect.timeoutOrElse({
      duration: TIMEOUT,
      orElse: () => Effect.fail(failed(`${connection.base}: no answer within ${TIMEOUT}`))
    }),
    Effect.catchTag("HttpClientError", ({ reason }) => Effect.fail(failed(`${connection.base}: ${explain(reason)}`))),
    Effect.provideService(HttpIncomingMessage.MaxBodySize, MAX_ANSWER)
  )

const headOf = ({ headers, status }: HttpClientResponse.HttpClientResponse): Omit<Body, "text"> => ({
  status,
  mediaType: headers["content-type"]?.split(";")[0]?.trim() ?? "no media type"
})

const toRequest = (
  connection: Connection,
  { body, headers, method, path, query = [] }: Call,
  mediaType: string = JSON_TYPE
) => {
  const parameters = new URLSearchParams()
  for (const [name, value] of query) parameters.append(name, value)
  const request = HttpClientRequest.make(method)(
    `${connection.base}${path}${parameters.size === 0 ? "" : `?${parameters.toString()}`}`,
    {
      headers: {
        ...headers,
        accept: `${mediaType}, application/problem+json`,
        authorization: Redacted.value(connection.authorization)
      }
    }
  )
  return body === undefined ? request : HttpClientRequest.bodyJsonUnsafe(request, body)
}

/** Makes the failure for a reply that is not a success. */
const refusal = (
  connection: Connection,
  { flags = {} }: Call,
  body: Body,
  response: HttpClientResponse.HttpClientResponse
): CommandFailure => {
  if (body.status >= 300 && body.status < 400) {
    const location = response.headers["location"] ?? "an unknown address"
    return failed(`${connection.base}: moved to ${location} (HTTP ${body.status}); use that address instead`)
  }
  const problem = Result.flatMap(parse(body), Schema.decodeUnknownResult(Problem))
  if (Result.isFailure(problem)) return notJson(connection, body)
  const { clusters = [], code, detail, field, requestId, title } = problem.success
  const flag = field === undefined ? undefined : flagOf(connection, flags, field)
  if (body.status === 400 && field !== undefined && flag !== undefined) {
    const prefix = [`${field}: `, `${field} `].find((start) => detail.startsWith(start)) ?? ""
    return misused(`${flag}: ${detail.slice(prefix.length)} (HTTP ${body.status}, code ${code}, request ${requestId})`)
  }
  const where = flag?.startsWith("--") === true ? `, ${flag}` : field === undefined ? "" : `, field ${field}`
  return failed(
    `${title}: ${detail} (HTTP ${body.status}, code ${code}${where}, request ${requestId})`,
    ...CoverageNotes.lines(clusters)
  )
}

/** Returns the flag that set a field. The name of the cluster header, in upper or lower case, means `--cluster`. */
const flagOf = ({ clusterHeader }: Connection, flags: NonNullable<Call["flags"]>, field: string): string | undefined =>
  field.toLowerCase() === clusterHeader.toLowerCase() ? "--cluster" : flags[field.replace(/[[.].*$/, "")]

const notJson = ({ base }: Connection, { mediaType, status }: Body): CommandFailure =>
  failed(`${base}: HTTP ${status} with ${mediaType} is not a reply of Quarterdeck: is this its address?`)

/** Parses a body as JSON. Fails if the media type is not that of JSON. */
const parse = ({ mediaType, text }: Body): Result.Result<unknown, unknown> =>
  /^application\/(?:[a-z.-]+\+)?json$/i.test(mediaType)
    ? Result.try((): unknown => JSON.parse(text))
    : Result.fail("not JSON")
