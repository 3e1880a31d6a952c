/** Maps failed answers and connection errors to the reasons of `ClusterError`. Never quotes a credential. */
import { Option, Schema } from "effect"
import { STATUS_CODES } from "node:http"
import {
  ClusterAnswerInvalid,
  ClusterCertificateInvalid,
  type ClusterError,
  ClusterExpired,
  ClusterForbids,
  ClusterRefused,
  ClusterThrottled,
  ClusterUnauthorized,
  ClusterUnreachable,
  ClusterUnsupported
} from "./ClusterError.ts"
import { UnknownCoding } from "./ContentCoding.ts"
import { mask } from "./Masking.ts"

type Reason = ClusterError["reason"]

/**
 * An answer that is not a success.
 *
 * **Shape** `body` may be truncated. `secrets` are masked in case the server echoes them. `isWrite`: the request was
 * meant to change something. `refusals`: statuses of a read that count as a refusal with a message from the server.
 */
export interface Refused {
  readonly isWrite: boolean
  readonly refusals?: ReadonlyArray<number> | undefined
  readonly status: number
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
  readonly verb: string
  readonly resource: string
  readonly secrets: ReadonlyArray<string>
  readonly nowMs: number
}

/** Statuses that prove that a write was not applied. */
const NOT_DONE: ReadonlySet<number> = new Set([400, 403, 404, 405, 406, 409, 410, 413, 415, 422])

/**
 * Maps a status to the reason that callers act on.
 *
 * **Shape** for a write, only 429 is `ClusterThrottled`: a write answered with 503 may have been applied.
 */
export const fromAnswer = (refused: Refused): Reason => {
  const { isWrite, resource, status, verb } = refused
  if (isRefusal(refused)) return new ClusterRefused({ status, problem: messageOf(refused) })
  if (status >= 300 && status < 400) {
    return new ClusterAnswerInvalid({ status, problem: "a redirect, and redirects are not followed" })
  }
  const retryAfterMs = retryAfter(refused)
  const throttled = () => new ClusterThrottled(retryAfterMs === undefined ? {} : { retryAfterMs })
  switch (status) {
    case 401:
      return new ClusterUnauthorized()
    case 403:
      return new ClusterForbids({ verb, resource })
    case 404:
      return new ClusterUnsupported({ resource })
    case 410:
      return new ClusterExpired()
    case 429:
      return throttled()
    case 503:
      if (retryAfterMs !== undefined && !isWrite) return throttled()
  }
  return new ClusterAnswerInvalid({ status, problem: describe(refused) })
}

/**
 * Returns whether an answer is a refusal with a message. A 500 of a proxy is not: it does not come from the API server.
 */
const isRefusal = ({ body, isWrite, refusals = [], status }: Refused): boolean =>
  isWrite ? NOT_DONE.has(status) : refusals.includes(status) && (status < 500 || statusOf(body) !== undefined)

/** The server's description of a failure. **Source** `meta/v1.Status`. */
const Status = Schema.Struct({
  kind: Schema.Literal("Status"),
  code: Schema.optionalKey(Schema.Int),
  reason: Schema.optionalKey(Schema.String),
  message: Schema.optionalKey(Schema.String),
  details: Schema.optionalKey(Schema.Struct({ retryAfterSeconds: Schema.optionalKey(Schema.Natural) }))
})
export type Status = typeof Status.Type

const decodeStatusText = Schema.decodeUnknownOption(Schema.fromJsonString(Status))

/** Decodes a value as a `Status`, if it is one. */
export const decodeStatus: (value: unknown) => Option.Option<Status> = Schema.decodeUnknownOption(Status)

/** Decodes a body as a `Status`, if it is one. */
const statusOf = (body: string): Status | undefined => Option.getOrUndefined(decodeStatusText(body))

const MAX_PROBLEM = 256

const describe = (refused: Refused): string => {
  const status = statusOf(refused.body)
  return fit([status?.reason, status?.message].filter((part) => part !== undefined && part !== "").join(": "), refused)
}

/** Returns the server's message of a refusal. */
const messageOf = (refused: Refused): string => fit(statusOf(refused.body)?.message ?? "", refused)

const fit = (text: string, { secrets, status }: Refused): string =>
  text === "" ? (STATUS_CODES[status] ?? "an unknown status") : mask(text, { secrets, limit: MAX_PROBLEM })

/**
 * Returns the time in milliseconds that the server asks to wait: from the header, as seconds or a date, else from the
 * hint in the body.
 */
const retryAfter = ({ body, headers, nowMs }: Refused): number | undefined => {
  const header = headers["retry-after"]
  const text = typeof header === "string" ? header.trim() : undefined
  if (text !== undefined && /^\d{1,6}$/.test(text)) return Number(text) * 1000
  const at = text === undefined ? Number.NaN : Date.parse(text)
  if (Number.isFinite(at)) return Math.max(0, Math.round(at - nowMs))
  const seconds = statusOf(body)?.details?.retryAfterSeconds
  return seconds === undefined ? undefined : seconds * 1000
}

/** Maps an error thrown while connecting, sending or reading. */
export const fromThrown = (thrown: unknown): Reason => {
  if (thrown instanceof UnknownCoding) {
    const { coding, message: problem } = thrown
    return new ClusterAnswerInvalid({ coding, problem })
  }
  const codes = codesOf(thrown)
  const certificate = codes.find(isCertificateCode)
  if (certificate !== undefined) return new ClusterCertificateInvalid({ code: certificate })
  // The server rejected our client certificate, or requires one and got none.
  if (codes.some((code) => /^ERR_SSL_.*ALERT_.*(CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/.test(code))) {
    return new ClusterUnauthorized()
  }
  const code = codes[0] ?? "UNKNOWN"
  if (code.startsWith("Z_")) return new ClusterAnswerInvalid({ problem: `the answer is not valid gzip (${code})` })
  return code.startsWith("HPE_") || NOT_HTTP.has(code)
    ? new ClusterAnswerInvalid({ problem: `not a valid HTTP exchange (${code})` })
    : new ClusterUnreachable({ code })
}

const NOT_HTTP = new Set([
  "UND_ERR_HEADERS_OVERFLOW",
  "UND_ERR_RES_CONTENT_LENGTH_MISMATCH",
  "UND_ERR_INVALID_ARG",
  "UND_ERR_NOT_SUPPORTED"
])

const isCertificateCode = (code: string): boolean =>
  CERTIFICATE_CODES.has(code) || code.startsWith("ERR_TLS_CERT_") || code.startsWith("CERT_") || code.includes("_CRL")

/** Names of OpenSSL's `X509_V_ERR_*` errors in Node, apart from those that start with `CERT_`. */
const CERTIFICATE_CODES = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_DECRYPT_CERT_SIGNATURE",
  "UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY",
  "ERROR_IN_CERT_NOT_BEFORE_FIELD",
  "ERROR_IN_CERT_NOT_AFTER_FIELD",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "PATH_LENGTH_EXCEEDED",
  "HOSTNAME_MISMATCH",
  "EE_KEY_TOO_SMALL",
  "CA_KEY_TOO_SMALL",
  "CA_MD_TOO_WEAK"
])

/**
 * Codes for OpenSSL errors that Node reports as `UNSPECIFIED`, by their text.
 *
 * **Source** `X509_verify_cert_error_string` of OpenSSL 3.
 */
const UNSPECIFIED_CODES: ReadonlyMap<string, string> = new Map([
  ["EE certificate key too weak", "EE_KEY_TOO_SMALL"],
  ["CA certificate key too weak", "CA_KEY_TOO_SMALL"],
  ["CA signature digest algorithm too weak", "CA_MD_TOO_WEAK"]
])

const codeOf = (thrown: Error): string | undefined => {
  if (!("code" in thrown) || typeof thrown.code !== "string" || !/^[A-Z0-9_]{1,64}$/.test(thrown.code)) return undefined
  return thrown.code === "UNSPECIFIED" ? (UNSPECIFIED_CODES.get(thrown.message) ?? thrown.code) : thrown.code
}

/** Returns the codes of an error, of its causes, and of the single attempts if several addresses were tried. */
const codesOf = (thrown: unknown, depth = 4): ReadonlyArray<string> => {
  if (depth === 0 || !(thrown instanceof Error)) return []
  const codes = [codeOf(thrown)].filter((code) => code !== undefined)
  const others: ReadonlyArray<unknown> = thrown instanceof AggregateError ? thrown.errors : []
  return [...codes, ...[thrown.cause, ...others].flatMap((inner) => codesOf(inner, depth - 1))]
}
