/**
 * List requests that the fast path may answer, and their cache keys.
 */
import { hash } from "node:crypto"
import type { IncomingMessage } from "node:http"

/**
 * Lists whose replies depend only on the request's URL and headers, the caller's rule and the caches. The costs and keys
 * of an overview may be older than any cached reply.
 */
const PATHS: ReadonlySet<string> = new Set([
  "/api/v1/clusters",
  "/api/v1/namespaces",
  "/api/v1/overview",
  "/api/v1/pods",
  "/api/v1/workloads"
])

/** Headers that send a request to the normal path, because they announce a body or need checks that the fast path lacks. */
const REFUSED: ReadonlySet<string> = new Set(["content-length", "expect", "origin", "transfer-encoding", "upgrade"])

/**
 * Headers that may differ between two requests with the same cache key. The fast path evaluates request id, entity tag and
 * forwarding headers for each request. It ignores the trace headers.
 */
export const OF_EACH: ReadonlySet<string> = new Set([
  "b3",
  "if-none-match",
  "traceparent",
  "tracestate",
  "x-amzn-trace-id",
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-request-id"
])

/** A request that the fast path may answer. */
export interface HotRequest {
  /** Hash of the URL and all headers except `OF_EACH`. */
  readonly key: string
  /** Hash like `key`, but of the path without the query. */
  readonly callerKey: string
  readonly path: string
  readonly url: string
  /** Values of a repeated header are joined by commas, as Node joins them. */
  readonly ifNoneMatch: string | undefined
  readonly requestId: string | undefined
}

/**
 * Reads a request. Returns `undefined` if it must take the normal path.
 *
 * **Shape** every header except `OF_EACH` is part of the key, so that an unknown header causes a cache miss, never a wrong
 * reply. The key is a hash, because the headers include the credential.
 *
 * **Limits** linear in the headers, which are at most 16 KiB.
 */
export const read = ({ method, rawHeaders, url = "" }: IncomingMessage): HotRequest | undefined => {
  const path = pathOf(url)
  // Replies of live lists are never cached. A percent-encoded `live` passes this check, but only costs a short wait.
  if (method !== "GET" || !PATHS.has(path) || url.includes("consistency=live")) return undefined
  let words = ""
  let hasCredential = false
  let ifNoneMatch: string | undefined
  let requestId: string | undefined
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase()
    const value = rawHeaders[index + 1] ?? ""
    if (REFUSED.has(name)) return undefined
    if (name === "authorization") hasCredential = true
    if (name === "if-none-match") ifNoneMatch = ifNoneMatch === undefined ? value : `${ifNoneMatch}, ${value}`
    else if (name === "x-request-id") requestId = requestId === undefined ? value : `${requestId}, ${value}`
    // Names and values contain no line feed, so different headers never yield the same text.
    else if (!OF_EACH.has(name)) words += `\n${name}\n${value}`
  }
  if (!hasCredential) return undefined
  const [key, callerKey] = [hash("sha256", `${url}${words}`), hash("sha256", `${path}${words}`)]
  return { key, callerKey, path, url, ifNoneMatch, requestId }
}

/** Hashes a request like `key`, but without its credential. */
export const keyOfGuess = ({ rawHeaders, url = "" }: IncomingMessage): string => {
  let words = url
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? "").toLowerCase()
    if (name !== "authorization" && !OF_EACH.has(name)) words += `\n${name}\n${rawHeaders[index + 1] ?? ""}`
  }
  return hash("sha256", words)
}

const pathOf = (url: string): string => {
  const end = url.indexOf("?")
  return end === -1 ? url : url.slice(0, end)
}
