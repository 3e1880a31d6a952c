/**
 * A request's headers as they came over the wire.
 *
 * Node drops a second `Authorization` line and joins other repeated headers; a security check must see each of them.
 */
import type { HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"

/**
 * Gives every value that a header was sent with.
 *
 * **Shape** in the order of the wire; empty when absent. A web-standard `Request` has joined repeated headers already:
 * there one value with commas stands for several, which every reader here refuses.
 */
export const valuesOf = (request: HttpServerRequest.HttpServerRequest, name: string): ReadonlyArray<string> => {
  const lowerCase = name.toLowerCase()
  if (request.source instanceof IncomingMessage) return request.source.headersDistinct[lowerCase] ?? []
  const value = request.headers[lowerCase]
  return value === undefined ? [] : [value]
}
