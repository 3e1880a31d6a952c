/**
 * The id of a request in logs, traces and its reply.
 */
import * as RawKey from "@quarterdeck/keys/RawKey"
import type { HttpServerRequest } from "effect/http"
import { randomUUID } from "node:crypto"

/** Header that carries the id in requests and replies. */
export const HEADER = "x-request-id"

const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Returns the request id that the caller or a proxy sent if it is safe to log, else a random UUID.
 *
 * **Shape** a value with the prefix of a Quarterdeck key is not safe: the caller may have put a key into the wrong header.
 */
export const of = (request: HttpServerRequest.HttpServerRequest): string => from(request.headers[HEADER])

/** As `of`, for the value of the header. A repeated header is ignored. */
export const from = (header: string | ReadonlyArray<string> | undefined): string => {
  const given = typeof header === "string" ? header : undefined
  return given !== undefined && ACCEPTED.test(given) && !given.startsWith(RawKey.PREFIX) ? given : randomUUID()
}
