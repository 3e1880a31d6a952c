/**
 * Explains connection failures and their remedies by the system's error codes.
 */
import type { HttpClientError } from "effect/http"

/**
 * Explains a failure in one line.
 *
 * **Example** `connection refused: is the server running there? (ECONNREFUSED)`
 */
export const explain = (reason: HttpClientError.HttpClientErrorReason): string => {
  if (reason._tag === "DecodeError") return "the reply is truncated, or longer than this program accepts"
  const code = "cause" in reason ? codeOf(reason.cause) : undefined
  if (code === undefined) return "the connection failed"
  return `${EXPLANATION[code] ?? explainFamily(code)} (${code})`
}

const UNTRUSTED = "its certificate is not trusted: set NODE_EXTRA_CA_CERTS to the PEM file of its authority"

const EXPLANATION: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused: is the server running there?",
  ECONNRESET: "the connection was closed without an answer: does the address need https?",
  ENOTFOUND: "the host name is unknown",
  EAI_AGAIN: "the host name cannot be looked up at the moment",
  ETIMEDOUT: "no connection within the system's time limit",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
  EPROTO: "the server does not speak TLS: does the address need http?",
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_HAS_EXPIRED: "its certificate has expired",
  CERT_NOT_YET_VALID: "its certificate is not valid yet",
  ERR_TLS_CERT_ALTNAME_INVALID: "its certificate is for another host name"
}

const explainFamily = (code: string): string => {
  if (code.startsWith("HPE_")) return "the server does not speak HTTP/1.1: does the address need https?"
  if (code.startsWith("ERR_SSL_")) return "the server does not speak TLS: does the address need http?"
  return "the connection failed"
}

/** Finds the code of an error or of one of its causes. **Limits** five levels: causes can form a cycle. */
const codeOf = (cause: unknown, depth = 0): string | undefined => {
  if (!(cause instanceof Error) || depth > 4) return undefined
  if ("code" in cause && typeof cause.code === "string") return cause.code
  return codeOf(cause.cause, depth + 1)
}
