/**
 * Reasons why a request's target is rejected.
 */
import { Schema } from "effect"
import { HistoryName } from "./HistoryName.ts"

/** The header or the body is not a valid target (HTTP 400 `invalid_target`). */
export class InvalidTarget extends Schema.TaggedError<InvalidTarget>()("InvalidTarget", {
  /** `header`, or the body's field: `clusters`, `clusters[3]`. */
  field: Schema.String,
  problem: Schema.Literals([
    "repeated",
    "blank",
    "tooLong",
    "tooManyNames",
    "emptySegment",
    "comma",
    "strayWildcard",
    "quote",
    "name",
    "null"
  ])
}) {
  override get message(): string {
    return `${this.field}: ${EXPLANATION[this.problem]}`
  }
}

/** `multiCluster` is true and the list is empty (HTTP 400 `empty_cluster_list`). */
export class EmptyClusterList extends Schema.TaggedError<EmptyClusterList>()("EmptyClusterList", {}) {
  override get message(): string {
    return "clusters: must name at least one cluster; leave the field out to address all clusters"
  }
}

/**
 * The target is outside the key's scope (HTTP 403 `cluster_forbidden`). The error does not reveal whether the cluster
 * exists.
 *
 * **Shape** `cluster` is a name that the caller wrote. Absent if the request named no cluster and the parent is out of
 * scope, so that the parent's name is not revealed.
 */
export class ClusterForbidden extends Schema.TaggedError<ClusterForbidden>()("ClusterForbidden", {
  cluster: Schema.optionalKey(HistoryName)
}) {
  override get message(): string {
    return this.cluster === undefined
      ? "the request names no cluster, and the parent cluster is outside the key's scope; name a cluster"
      : `cluster ${this.cluster} is outside the key's scope`
  }
}

/** No registered cluster has this name, which is in the key's scope (HTTP 404 `cluster_not_found`). */
export class ClusterNotFound extends Schema.TaggedError<ClusterNotFound>()("ClusterNotFound", {
  cluster: HistoryName
}) {
  override get message(): string {
    return `no cluster is registered as ${this.cluster}; names are case-sensitive, and the list of clusters shows them`
  }
}

const EXPLANATION: Record<InvalidTarget["problem"], string> = {
  repeated: "the header may be sent once; join several names by |",
  blank: "is blank; leave it out to address the parent cluster",
  tooLong: "is longer than 4096 bytes",
  tooManyNames: "names more clusters than one request may address; use * for all",
  emptySegment: "contains an empty name; join names by a single |",
  comma: "contains a comma; join names by |",
  strayWildcard: "* must stand alone",
  quote: 'contains a quote; only "*" may be quoted',
  name: "is not a cluster name: 1 to 253 of A-Z a-z 0-9 . _ -, first and last a letter or digit",
  null: "must be an array of cluster names"
}
