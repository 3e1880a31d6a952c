/**
 * Why a cluster was not registered, or not dropped.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { TargetError } from "@quarterdeck/targeting"
import { Schema } from "effect"

/** The name is in use. */
export class ClusterExists extends Schema.TaggedError<ClusterExists>()("ClusterExists", { name: ClusterName }) {
  override get message(): string {
    return `a cluster is registered as ${this.name}`
  }
}

/** The cluster was not registered at run time. */
export class ClusterConfigured extends Schema.TaggedError<ClusterConfigured>()("ClusterConfigured", {
  name: ClusterName
}) {
  override get message(): string {
    return `cluster ${this.name} comes from the service's configuration; take it out there`
  }
}

/** No cluster has the name. */
export class ClusterUnknown extends Schema.TaggedError<ClusterUnknown>()("ClusterUnknown", { name: ClusterName }) {
  override get message(): string {
    return new TargetError.ClusterNotFound({ cluster: this.name }).message
  }
}

/** The service cannot use the cluster. **Shape** `field` of the body; the problem holds no secret. */
export class ClusterRefused extends Schema.TaggedError<ClusterRefused>()("ClusterRefused", {
  field: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return this.problem
  }
}

/** As many clusters are registered as may be. */
export class TooManyClusters extends Schema.TaggedError<TooManyClusters>()("TooManyClusters", {
  most: Schema.Natural
}) {
  override get message(): string {
    return `${this.most} clusters are registered, which is the most`
  }
}
