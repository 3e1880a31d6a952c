/**
 * The headers that a reply carries whatever it says.
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
 * Makes browsers that came by HTTPS come by nothing else for a year.
 *
 * **Source** RFC 6797: to be said over HTTPS alone.
 */
const STRICT_TRANSPORT: Headers = { "strict-transport-security": "max-age=31536000" }
const PLAIN: Headers = {}

/** Those that depend on the request, whatever is asked for. */
export const ofRequest = ({
  isSecure,
  replyHeaders,
  requestId
}: Pick<RequestRecord, "isSecure" | "replyHeaders" | "requestId">): Headers => ({
  ...(isSecure ? STRICT_TRANSPORT : PLAIN),
  ...replyHeaders,
  [RequestId.HEADER]: requestId
})

/** All of the reply to a request. */
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
