/**
 * Requests that may be answered by what others of the same words were answered.
 */
import { hash } from "node:crypto"
import type { IncomingMessage } from "node:http"

/** Lists whose replies depend on the request's words, the caller's rule and the caches alone. */
const PATHS: ReadonlySet<string> = new Set([
  "/api/v1/clusters",
  "/api/v1/namespaces",
  "/api/v1/pods",
  "/api/v1/workloads"
])

/** Headers that decide more than is judged again for each reply, or bring what must be read: the ordinary way knows them. */
const REFUSED: ReadonlySet<string> = new Set(["content-length", "expect", "origin", "transfer-encoding", "upgrade"])

/**
 * Headers that may differ between two requests of one answer. What they decide is decided for each request: its id, whether
 * the caller has the reply, where it came from. The others name the request to those who trace it, and are not read.
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

/** A request as far as it may be answered so. */
export interface HotRequest {
  /** The same for two requests if and only if they are the same, word for word, but for the headers of each. */
  readonly key: string
  /** Does as `key` for two requests that may differ in their queries. */
  readonly callerKey: string
  readonly path: string
  readonly url: string
  /** The values of a header that was sent more than once are joined, as Node does it. */
  readonly ifNoneMatch: string | undefined
  readonly requestId: string | undefined
}

/**
 * Reads a request; `undefined` for one that takes the ordinary way.
 *
 * **Shape** whatever header the service reads, now or one day, is a part of the key unless it is named above: a header that
 * nobody thought of makes another key, not a wrong answer. The key is a hash, for the credential is among the headers.
 *
 * **Limits** linear in the headers, which are at most 16 KiB.
 */
export const read = ({ method, rawHeaders, url = "" }: IncomingMessage): HotRequest | undefined => {
  const path = pathOf(url)
  // Live lists are not given again, and what they share they share among themselves. Spelled otherwise it is only a short wait.
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
    // Neither a name nor a value holds the end of a line, so that no two requests are spelled alike.
    else if (!OF_EACH.has(name)) words += `\n${name}\n${value}`
  }
  if (!hasCredential) return undefined
  const [key, callerKey] = [hash("sha256", `${url}${words}`), hash("sha256", `${path}${words}`)]
  return { key, callerKey, path, url, ifNoneMatch, requestId }
}

const pathOf = (url: string): string => {
  const end = url.indexOf("?")
  return end === -1 ? url : url.slice(0, end)
}
