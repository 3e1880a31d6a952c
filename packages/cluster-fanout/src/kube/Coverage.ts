/**
 * How one cluster's part of an answer was obtained.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"
import type { ClusterError } from "./ClusterError.ts"

/** How a cluster answered: `ok` and `stale` are answers; every other status is a cluster whose rows are missing. */
export const Status = Schema.Literals([
  "ok",
  "stale",
  "timeout",
  "unreachable",
  "unauthorized",
  "forbidden",
  "throttled",
  "unsupported",
  "error"
])
export type Status = typeof Status.Type

export const Consistency = Schema.Literals(["cache", "live"])
export type Consistency = typeof Consistency.Type

export const Problem = Schema.Struct({
  code: Schema.String,
  message: Schema.String,
  retryAfterMs: Schema.optionalKey(Schema.Natural)
})
export type Problem = typeof Problem.Type

/**
 * What one cluster gave to an answer; `count` is the rows that match in this cluster, before paging.
 *
 * **Units** ages and latencies in milliseconds.
 */
export const Coverage = Schema.Struct({
  name: ClusterName,
  status: Status,
  source: Consistency,
  count: Schema.Natural,
  ageMs: Schema.Natural,
  latencyMs: Schema.Natural,
  /** Kinds that the service's credential may not read there, or that have not synced yet. */
  missingKinds: Schema.optionalKey(Schema.Array(Schema.String)),
  error: Schema.optionalKey(Problem)
}).annotate({ identifier: "Coverage" })
export type Coverage = typeof Coverage.Type

/** Tells whether a cluster's rows are in the answer. */
export const answered = (coverage: { readonly status: string }): boolean =>
  coverage.status === "ok" || coverage.status === "stale"

/** Tells whether some addressed cluster's rows are missing from an answer, wholly or for a kind. */
export const isPartial = (coverages: ReadonlyArray<Coverage>): boolean =>
  coverages.some((coverage) => !answered(coverage) || (coverage.missingKinds?.length ?? 0) > 0)

/** Names the status of a cluster that failed. */
export const statusOf = ({ reason }: ClusterError): Status => {
  switch (reason._tag) {
    case "ClusterTimeout":
      return "timeout"
    case "ClusterUnreachable":
    case "ClusterCertificateInvalid":
      return "unreachable"
    case "ClusterUnauthorized":
    case "ClusterCredentialUnavailable":
      return "unauthorized"
    case "ClusterForbids":
      return "forbidden"
    case "ClusterThrottled":
      return "throttled"
    case "ClusterUnsupported":
      return "unsupported"
    case "ClusterExpired":
    case "ClusterRefused":
    case "ClusterTooLarge":
    case "ClusterAnswerInvalid":
      return "error"
  }
}

/**
 * Tells a failure to a user.
 *
 * **Shape** `code` is the reason in snake case: `cluster_timeout`, `cluster_certificate_invalid`. The message holds no
 * address, path or text of the cluster's own.
 */
export const problemOf = (error: ClusterError): Problem => {
  const { reason } = error
  return {
    code: codeOf(error),
    message: `cluster ${error.cluster} ${explain(error)}`,
    ...(reason._tag === "ClusterThrottled" && reason.retryAfterMs !== undefined
      ? { retryAfterMs: reason.retryAfterMs }
      : {})
  }
}

/** Names a failure for programs. */
export const codeOf = ({ reason }: ClusterError): string => reason._tag.replace(/(?<=.)[A-Z]/g, "_$&").toLowerCase()

/** Describes a cluster that failed. */
export const fromError = (
  error: ClusterError,
  how: { readonly source: Consistency; readonly latencyMs: number }
): Coverage => ({
  name: error.cluster,
  status: statusOf(error),
  source: how.source,
  count: 0,
  ageMs: 0,
  latencyMs: how.latencyMs,
  error: problemOf(error)
})

/** Three reasons carry words of a file, a plugin or a server, which may name addresses, paths and objects. */
const explain = ({ reason }: ClusterError): string => {
  if (reason._tag === "ClusterCredentialUnavailable") return "cannot be asked: the service has no credential for it"
  if (reason._tag === "ClusterTooLarge") return reason.summary
  if (reason._tag !== "ClusterAnswerInvalid" || reason.coding !== undefined) return reason.message
  return reason.status === undefined ? "gave an answer that is not valid" : `answered with HTTP status ${reason.status}`
}
