/**
 * Calls the service, and tells every way in which that can fail in one line.
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

/** A request to the service: `path` starts with a slash and is encoded; a query parameter may stand more than once. */
export interface Call {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly path: string
  readonly query?: ReadonlyArray<readonly [name: string, value: string]>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** A status beside those of success whose body is an answer, if it is of this media type. */
  readonly accepts?: { readonly status: number; readonly mediaType: string }
  /** The flag, or argument, that each field of the request came from: a field that is refused is told by it. */
  readonly flags?: Readonly<Record<string, string>>
}

/** Longer than any deadline that the service takes, with room for a slow line. */
const TIMEOUT = "60 seconds"
/** A full page of rows with their labels, several times over. */
const MAX_ANSWER = ByteSize.mebibytes(128)

/**
 * Calls an endpoint and decodes its answer.
 *
 * **Errors** `CommandFailure`: no connection, an answer that is not JSON or of another shape, a problem that the
 * service sent; with exit code 2 where what it refused (HTTP 400) stood in a flag.
 *
 * **Limits** one request, 60 s, 128 MiB; redirects are not followed, so that the key goes to no other address.
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
  return yield* failed(`${connection.base}: the answer is not one that this program knows: ${fault}`)
})

/**
 * Calls an endpoint that answers with plain text.
 *
 * **Errors** `CommandFailure` as of {@link call}. **Limits** as of it.
 */
export const text = Effect.fn("ApiClient.text")(function* (connection: Connection, request: Call) {
  const body = yield* send(connection, request, PLAIN)
  return body.mediaType === PLAIN ? body.text : yield* notJson(connection, body)
})

/**
 * Calls an endpoint that answers without content.
 */
export const run = Effect.fn("ApiClient.run")(function* (connection: Connection, request: Call) {
  yield* send(connection, request)
})

/**
 * Calls an endpoint that answers with comma-separated values, and gives them as they come.
 *
 * **Errors** `CommandFailure` as of {@link call}, also for an answer that breaks off.
 *
 * **Limits** one request; 60 s without a part of the answer; any length.
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
 * Calls an endpoint that answers with plain text for as long as it likes, and gives it as it comes.
 *
 * **Errors** `CommandFailure` as of {@link download}. **Limits** one request; 60 s until the answer begins.
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

/** A stream of events that ended though it could have gone on: to begin again may help. **Shape** `failure` says why. */
export class StreamLost extends Data.TaggedError("StreamLost")<{ readonly failure: CommandFailure }> {}

/** Statuses of refusals that may pass by themselves. */
const PASSING: ReadonlySet<number> = new Set([429, 500, 502, 503, 504])

/**
 * Calls an endpoint that answers with server-sent events, and gives those that came together together.
 *
 * **Errors** `StreamLost` for what may pass: no connection, one that broke or fell silent, a service that is busy; else
 * `CommandFailure` as of {@link call}.
 *
 * **Limits** one request; 60 s without a part of the answer, of which there is one every 15 s; 10 MiB an event.
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
      let heard: Array<Sse.Event> = []
      const parser = Sse.makeParser((event) => {
        if (event._tag === "Event") heard.push(event)
      })
      return Stream.mapEffect(texts, (text) => {
        const fault = parser.feed(text)
        if (fault !== undefined) return Effect.fail(failed(`${connection.base}: ${fault.message}`))
        const together = heard
        heard = []
        return Effect.succeed(together)
      })
    })

const JSON_TYPE = "application/json"
const EVENTS = "text/event-stream"
const CSV = "text/csv"
const PLAIN = "text/plain"

/** The body of a successful answer. */
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

/** Tells what an answer other than a success says. */
const refusal = (
  connection: Connection,
  { flags = {} }: Call,
  body: Body,
  response: HttpClientResponse.HttpClientResponse
): CommandFailure => {
  if (body.status >= 300 && body.status < 400) {
    const location = response.headers["location"] ?? "an unknown address"
    return failed(`${connection.base}: moved to ${location} (HTTP ${body.status}); give that address instead`)
  }
  const problem = Result.flatMap(parse(body), Schema.decodeUnknownResult(Problem))
  if (Result.isFailure(problem)) return notJson(connection, body)
  const { clusters = [], code, detail, field, requestId, title } = problem.success
  const flag = field === undefined ? undefined : flagOf(connection, flags, field)
  if (body.status === 400 && field !== undefined && flag !== undefined) {
    const told = [`${field}: `, `${field} `].find((start) => detail.startsWith(start)) ?? ""
    return misused(`${flag}: ${detail.slice(told.length)} (HTTP ${body.status}, code ${code}, request ${requestId})`)
  }
  const where = flag?.startsWith("--") === true ? `, ${flag}` : field === undefined ? "" : `, field ${field}`
  return failed(
    `${title}: ${detail} (HTTP ${body.status}, code ${code}${where}, request ${requestId})`,
    ...CoverageNotes.lines(clusters)
  )
}

/** Gives the flag by which a field was set; that of the header, whatever its case, is the one that names clusters. */
const flagOf = ({ clusterHeader }: Connection, flags: NonNullable<Call["flags"]>, field: string): string | undefined =>
  field.toLowerCase() === clusterHeader.toLowerCase() ? "--cluster" : flags[field.replace(/[[.].*$/, "")]

const notJson = ({ base }: Connection, { mediaType, status }: Body): CommandFailure =>
  failed(`${base}: HTTP ${status} with ${mediaType}, which is no answer of Quarterdeck: is this its address?`)

/** Parses JSON; fails for a body whose media type is not JSON's, whatever it holds. */
const parse = ({ mediaType, text }: Body): Result.Result<unknown, unknown> =>
  /^application\/(?:[a-z.-]+\+)?json$/i.test(mediaType)
    ? Result.try((): unknown => JSON.parse(text))
    : Result.fail("not JSON")
