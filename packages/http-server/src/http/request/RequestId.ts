/**
 * The id under which a request stands in logs, traces and its reply.
 */
import * as RawKey from "@quarterdeck/keys/RawKey"
import type { HttpServerRequest } from "effect/http"
import { randomUUID } from "node:crypto"

/** The header that carries the id, both ways. */
export const HEADER = "x-request-id"

const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/

/**
 * Takes the caller's id when it is harmless to log, else makes one, so that a proxy's id can be followed through.
 *
 * **Shape** what begins like a key of ours is not harmless: somebody took one header for another.
 */
export const of = (request: HttpServerRequest.HttpServerRequest): string => from(request.headers[HEADER])

/** Does the same with what the header holds; a repeated one is none. */
export const from = (header: string | ReadonlyArray<string> | undefined): string => {
  const given = typeof header === "string" ? header : undefined
  return given !== undefined && ACCEPTED.test(given) && !given.startsWith(RawKey.PREFIX) ? given : randomUUID()
}
