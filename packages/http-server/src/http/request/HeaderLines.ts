/**
 * The header lines of a request, before Node merges repeated ones.
 *
 * Node drops a second `Authorization` line and joins other repeated headers. A security check must see each line.
 */
import type { HttpServerRequest } from "effect/http"
import { IncomingMessage } from "node:http"

/**
 * Returns the value of each line of a header.
 *
 * **Shape** in the order sent; empty if absent. A web-standard `Request` has already joined repeated headers into one
 * value with commas, which every caller of this function refuses.
 */
export const valuesOf = (request: HttpServerRequest.HttpServerRequest, name: string): ReadonlyArray<string> => {
  const lowerCase = name.toLowerCase()
  if (request.source instanceof IncomingMessage) return request.source.headersDistinct[lowerCase] ?? []
  const value = request.headers[lowerCase]
  return value === undefined ? [] : [value]
}
