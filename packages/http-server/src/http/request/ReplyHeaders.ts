/**
 * Headers that every reply carries.
 */
import { HttpServerResponse } from "effect/http"
import * as RequestId from "./RequestId.ts"
import type { RequestRecord } from "./RequestRecord.ts"

type Headers = Readonly<Record<string, string>>

/**
 * Headers of every reply. No reply may be cached, sniffed, framed or read by a page of another origin.
 *
 * **Source** HTML (`Cross-Origin-Opener-Policy`), Fetch (`Cross-Origin-Resource-Policy`), Permissions Policy.
 */
export const SAFE: Headers = {
  "cache-control": "no-store",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy":
    "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(), midi=(), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY"
}

/**
 * Makes browsers use only HTTPS for one year.
 *
 * **Source** RFC 6797: the header may be sent over HTTPS only.
 */
const STRICT_TRANSPORT: Headers = { "strict-transport-security": "max-age=31536000" }
const PLAIN: Headers = {}

/** Returns the headers of a reply that depend on the request: HSTS, rate limits and request id. */
export const ofRequest = ({
  isSecure,
  replyHeaders,
  requestId
}: Pick<RequestRecord, "isSecure" | "replyHeaders" | "requestId">): Headers => ({
  ...(isSecure ? STRICT_TRANSPORT : PLAIN),
  ...replyHeaders,
  [RequestId.HEADER]: requestId
})

/** Returns all headers that the reply to a request must have. */
export const of = (record: RequestRecord): Headers => ({ ...SAFE, ...ofRequest(record) })

/** Adds headers that the response does not set itself. */
export const add = (
  response: HttpServerResponse.HttpServerResponse,
  headers: Headers
): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.setHeaders(
    response,
    Object.fromEntries(Object.entries(headers).filter(([name]) => response.headers[name] === undefined))
  )
