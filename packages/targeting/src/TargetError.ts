/**
 * Why a request's target was refused.
 */
import { Schema } from "effect"
import { HistoryName } from "./HistoryName.ts"

/** The header or the body does not spell a target (HTTP 400 `invalid_target`). */
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

/** `multiCluster` is true and the list names no cluster (HTTP 400 `empty_cluster_list`). */
export class EmptyClusterList extends Schema.TaggedError<EmptyClusterList>()("EmptyClusterList", {}) {
  override get message(): string {
    return "clusters: must name at least one cluster; leave the field out to address all clusters"
  }
}

/**
 * The key's scope does not reach the target (HTTP 403 `cluster_forbidden`), whether the cluster exists or not.
 *
 * **Shape** `cluster` is a name that the caller wrote; absent when no target was given and the parent is out of scope,
 * so that the parent's name is not told.
 */
export class ClusterForbidden extends Schema.TaggedError<ClusterForbidden>()("ClusterForbidden", {
  cluster: Schema.optionalKey(HistoryName)
}) {
  override get message(): string {
    return this.cluster === undefined
      ? "no cluster was named, and the parent cluster is outside the key's scope; name a cluster"
      : `cluster ${this.cluster} is outside the key's scope`
  }
}

/** A name within the key's scope that no registered cluster has (HTTP 404 `cluster_not_found`). */
export class ClusterNotFound extends Schema.TaggedError<ClusterNotFound>()("ClusterNotFound", {
  cluster: HistoryName
}) {
  override get message(): string {
    return `no cluster is registered as ${this.cluster}; names count in their case, and the list of clusters tells them`
  }
}

const EXPLANATION: Record<InvalidTarget["problem"], string> = {
  repeated: "the header may be sent once; join several names by |",
  blank: "is blank; leave it out to address the parent cluster",
  tooLong: "is longer than 4096 bytes",
  tooManyNames: "names more clusters than one request may address; use * for all",
  emptySegment: "has an empty name between two |",
  comma: "has a comma; join names by |",
  strayWildcard: "* must stand alone",
  quote: 'has a quote; only "*" may be quoted',
  name: "is not a cluster name: 1 to 253 of A-Z a-z 0-9 . _ -, first and last a letter or digit",
  null: "must be an array of cluster names"
}
