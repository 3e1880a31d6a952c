/**
 * Describes one cluster's part of an answer.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"
import type { ClusterError } from "./ClusterError.ts"

/** Status of a cluster. `ok` and `stale` are answers; with every other status the cluster's rows are missing. */
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
 * One cluster's contribution to an answer. `count` is the number of matching rows in this cluster, before paging.
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
  /** Kinds that the service's credential may not read in this cluster, or that have not synced yet. */
  missingKinds: Schema.optionalKey(Schema.Array(Schema.String)),
  error: Schema.optionalKey(Problem)
}).annotate({ identifier: "Coverage" })
export type Coverage = typeof Coverage.Type

/** Returns whether a cluster's rows are in the answer. */
export const answered = (coverage: { readonly status: string }): boolean =>
  coverage.status === "ok" || coverage.status === "stale"

/** Returns whether rows of an addressed cluster are missing from an answer, for some or for all kinds. */
export const isPartial = (coverages: ReadonlyArray<Coverage>): boolean =>
  coverages.some((coverage) => !answered(coverage) || (coverage.missingKinds?.length ?? 0) > 0)

/** Returns the status of a cluster that failed. */
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
 * Converts a failure for users.
 *
 * **Shape** `code` is the reason in snake case: `cluster_timeout`, `cluster_certificate_invalid`. The message contains
 * no address, path or text from the cluster.
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

/** Returns the code of a failure. */
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

/**
 * Returns the message without text from files, plugins or servers, which may contain addresses, paths and object names.
 */
const explain = ({ reason }: ClusterError): string => {
  if (reason._tag === "ClusterCredentialUnavailable") return "cannot be called: the service has no credential for it"
  if (reason._tag === "ClusterTooLarge") return reason.summary
  if (reason._tag !== "ClusterAnswerInvalid" || reason.coding !== undefined) return reason.message
  return reason.status === undefined ? "sent an invalid answer" : `answered with HTTP status ${reason.status}`
}
