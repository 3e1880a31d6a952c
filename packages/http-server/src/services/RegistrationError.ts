/**
 * The errors of registering and dropping a cluster.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { TargetError } from "@quarterdeck/targeting"
import { Schema } from "effect"

/** Another cluster has the name. */
export class ClusterExists extends Schema.TaggedError<ClusterExists>()("ClusterExists", { name: ClusterName }) {
  override get message(): string {
    return `a cluster named ${this.name} exists already`
  }
}

/** The cluster was not registered at run time. */
export class ClusterConfigured extends Schema.TaggedError<ClusterConfigured>()("ClusterConfigured", {
  name: ClusterName
}) {
  override get message(): string {
    return `cluster ${this.name} comes from the server's configuration; remove it there`
  }
}

/** No cluster has the name. */
export class ClusterUnknown extends Schema.TaggedError<ClusterUnknown>()("ClusterUnknown", { name: ClusterName }) {
  override get message(): string {
    return new TargetError.ClusterNotFound({ cluster: this.name }).message
  }
}

/** The service cannot use the cluster. **Shape** `field` is a field of the request body. `problem` contains no secret. */
export class ClusterRefused extends Schema.TaggedError<ClusterRefused>()("ClusterRefused", {
  field: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return this.problem
  }
}

/** The limit of registered clusters is reached. */
export class TooManyClusters extends Schema.TaggedError<TooManyClusters>()("TooManyClusters", {
  most: Schema.Natural
}) {
  override get message(): string {
    return `the limit of ${this.most} registered clusters is reached`
  }
}
