/**
 * Requests that the contract's client cannot make: with replies that are files or streams, or with bodies that only the server
 * validates.
 */
import { Problem } from "@quarterdeck/contract/Problem"
import { Option, Schema } from "effect"
import { ApiFailure, namedHeaders, serverUrl } from "./Client.ts"

interface FileRequest {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

interface FileReply {
  readonly blob: Blob
  readonly name: string
}

const decodeProblem = Schema.decodeUnknownOption(Schema.fromJsonString(Problem))

/** The server sends `Retry-After` in seconds, never as a date. */
const decodeSeconds = Schema.decodeUnknownOption(
  Schema.NumberFromString.check(Schema.isBetween({ minimum: 0, maximum: 3_600 }))
)

const NAME = /filename="([^"]+)"/

/** Requests a file. **Errors** rejects with {@link ApiFailure}. */
export const requestFile = async ({ body, headers, path }: FileRequest): Promise<FileReply> => {
  const response = await send(path, { method: "POST", headers, body })
  const name = NAME.exec(response.headers.get("content-disposition") ?? "")?.[1]
  return { blob: await response.blob(), name: name ?? "costs.csv" }
}

interface Call {
  readonly method: "POST" | "PUT"
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
  readonly signal?: AbortSignal
}

/** Sends JSON without validation. **Errors** rejects with {@link ApiFailure}. */
export const send = (path: string, { body, headers, method, signal }: Call): Promise<Response> =>
  request(path, {
    method,
    headers: { ...namedHeaders(headers), "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal })
  })

/** Reads a text or a stream. **Errors** rejects with {@link ApiFailure}. */
export const read = (
  path: string,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {}
): Promise<Response> => request(path, { headers: namedHeaders(headers), signal })

const request = async (path: string, options: RequestInit): Promise<Response> => {
  const response = await fetch(`${serverUrl}${path}`, options).catch(() => {
    throw noAnswer()
  })
  if (response.ok) return response
  const problem = Option.getOrUndefined(decodeProblem(await response.text()))
  if (problem === undefined) throw noAnswer()
  const seconds = Option.getOrUndefined(decodeSeconds(response.headers.get("retry-after")))
  throw new ApiFailure({ ...problem, ...(seconds === undefined ? {} : { retryAfterMs: seconds * 1_000 }) })
}

/** The failure of a request without a complete answer. */
export const noAnswer = () =>
  new ApiFailure({ code: "no_answer", title: "No answer", detail: "The server did not answer. Try again." })
