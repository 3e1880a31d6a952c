/**
 * Reasons why one cluster did not answer a call.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"

/** The deadline passed before the answer was complete. */
export class ClusterTimeout extends Schema.TaggedError<ClusterTimeout>()("ClusterTimeout", {
  timeoutMs: Schema.Natural
}) {
  override get message(): string {
    return `did not answer within ${this.timeoutMs} ms`
  }
}

/**
 * There was no connection, or the connection broke. **Shape** `code` is the system's code: `ECONNREFUSED`, `ENOTFOUND`,
 * `UND_ERR_SOCKET`.
 */
export class ClusterUnreachable extends Schema.TaggedError<ClusterUnreachable>()("ClusterUnreachable", {
  code: Schema.String
}) {
  override get message(): string {
    return `cannot be reached (${this.code})`
  }
}

/** A watch ended without an error, or several watches in a row ended immediately without an event. */
export const watchEnded = new ClusterUnreachable({ code: "WATCH_ENDED" })

/** The server's certificate could not be verified. **Shape** `code` as in OpenSSL or Node. */
export class ClusterCertificateInvalid extends Schema.TaggedError<ClusterCertificateInvalid>()(
  "ClusterCertificateInvalid",
  {
    code: Schema.String
  }
) {
  override get message(): string {
    return `presented a certificate that ${CERTIFICATE_PROBLEMS[this.code] ?? "is not trusted"} (${this.code})`
  }
}

/** Explanations of codes whose cause is not a missing authority. */
const CERTIFICATE_PROBLEMS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "has expired, or whose issuer's certificate has expired",
  CERT_NOT_YET_VALID: "is not valid yet",
  CERT_SIGNATURE_FAILURE: "was signed with another key than those of the configured authorities",
  ERR_TLS_CERT_ALTNAME_INVALID: "is for another host name",
  INVALID_PURPOSE: "is not intended for servers",
  EE_KEY_TOO_SMALL: "has a key below 112 bits of security, such as RSA below 2048 bits",
  CA_KEY_TOO_SMALL: "was signed by an authority whose key is below 112 bits of security, such as RSA below 2048 bits",
  CA_MD_TOO_WEAK: "was signed with a weak digest, such as SHA-1"
}

/** No credential could be obtained: a file is missing or a plugin failed. **Shape** `problem` contains no secret. */
export class ClusterCredentialUnavailable extends Schema.TaggedError<ClusterCredentialUnavailable>()(
  "ClusterCredentialUnavailable",
  { problem: Schema.String }
) {
  override get message(): string {
    return `no credential: ${this.problem}`
  }
}

/** The server rejected the credential (401). */
export class ClusterUnauthorized extends Schema.TaggedError<ClusterUnauthorized>()("ClusterUnauthorized", {}) {
  override get message(): string {
    return "refused the service's credential"
  }
}

/** The credential lacks the permission (403). */
export class ClusterForbids extends Schema.TaggedError<ClusterForbids>()("ClusterForbids", {
  verb: Schema.String,
  resource: Schema.String
}) {
  override get message(): string {
    return `does not allow the service to ${this.verb} ${this.resource}`
  }
}

/**
 * The server understood a request and rejected it: a write, or a read of something that does not exist. **Shape**
 * `problem` is the server's message, truncated and without secrets.
 */
export class ClusterRefused extends Schema.TaggedError<ClusterRefused>()("ClusterRefused", {
  status: Schema.Natural,
  problem: Schema.String
}) {
  override get message(): string {
    return `refused (${this.status}): ${this.problem}`
  }
}

/** The server throttles requests (429, or 503 with Retry-After). */
export class ClusterThrottled extends Schema.TaggedError<ClusterThrottled>()("ClusterThrottled", {
  retryAfterMs: Schema.optionalKey(Schema.Natural)
}) {
  override get message(): string {
    return "is throttling the service"
  }
}

/** The server does not serve the kind (404 on a collection). */
export class ClusterUnsupported extends Schema.TaggedError<ClusterUnsupported>()("ClusterUnsupported", {
  resource: Schema.String
}) {
  override get message(): string {
    return `does not serve ${this.resource}`
  }
}

/** The resource version or continue token is too old (410). */
export class ClusterExpired extends Schema.TaggedError<ClusterExpired>()("ClusterExpired", {}) {
  override get message(): string {
    return "no longer holds the requested resource version"
  }
}

/**
 * An answer or a list exceeds the limits of this service.
 *
 * **Shape** `excess` is `objects` for a list of more than `limit` objects, `endless` for a list without end, `answer`
 * for an answer of more than `limit` bytes, and `object` for a single object of that size. The field `object` contains
 * the namespace and name of that object, if known.
 */
export class ClusterTooLarge extends Schema.TaggedError<ClusterTooLarge>()("ClusterTooLarge", {
  excess: Schema.Literals(["objects", "endless", "answer", "object"]),
  resource: Schema.String,
  limit: Schema.Natural,
  object: Schema.optionalKey(Schema.String)
}) {
  /** The message without the object's name, which not every reader may see. */
  get summary(): string {
    switch (this.excess) {
      case "objects":
        return `has more than ${this.limit} objects of ${this.resource} (fanOut.maxObjects)`
      case "endless":
        return `sends a list of ${this.resource} that does not end`
      case "answer":
        return `sends an answer of ${this.resource} that is longer than ${this.limit} bytes`
      case "object":
        return `has an object of ${this.resource} that is longer than ${this.limit} bytes`
    }
  }

  override get message(): string {
    return this.object === undefined ? this.summary : `${this.summary}: ${this.object}`
  }
}

/**
 * Any other answer: a redirect, a 5xx status, or an unexpected body.
 *
 * **Shape** `coding` is the content coding of a body that is compressed with another coding than gzip.
 */
export class ClusterAnswerInvalid extends Schema.TaggedError<ClusterAnswerInvalid>()("ClusterAnswerInvalid", {
  status: Schema.optionalKey(Schema.Natural),
  coding: Schema.optionalKey(Schema.String),
  problem: Schema.String
}) {
  override get message(): string {
    if (this.coding !== undefined) {
      return `sends answers compressed as ${this.coding}; the API server, or the proxy in front of it, must send them uncompressed or as gzip`
    }
    return this.status === undefined
      ? `sent an invalid answer: ${this.problem}`
      : `answered ${this.status}: ${this.problem}`
  }
}

/** Any failure of a call to one cluster. Recover from a single reason with `Effect.catchReason`. */
export class ClusterError extends Schema.TaggedError<ClusterError>()("ClusterError", {
  cluster: ClusterName,
  reason: Schema.Union([
    ClusterTimeout,
    ClusterUnreachable,
    ClusterCertificateInvalid,
    ClusterCredentialUnavailable,
    ClusterUnauthorized,
    ClusterForbids,
    ClusterRefused,
    ClusterThrottled,
    ClusterUnsupported,
    ClusterExpired,
    ClusterTooLarge,
    ClusterAnswerInvalid
  ])
}) {
  override get message(): string {
    return `cluster ${this.cluster} ${this.reason.message}`
  }
}
