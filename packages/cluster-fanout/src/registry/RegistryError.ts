/**
 * Errors of starting the registry.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"

/**
 * No cluster can be the parent. **Shape** `asked` is the configured parent; absent if the current context should
 * provide it.
 */
export class ParentNotFound extends Schema.TaggedError<ParentNotFound>()("ParentNotFound", {
  asked: Schema.optionalKey(ClusterName),
  known: Schema.Array(ClusterName),
  /** The first problems of files and contexts, by severity. */
  problems: Schema.Array(Schema.String),
  warnings: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const what =
      this.asked === undefined
        ? "no parent cluster: the kubeconfig has no usable current context, and no parent is configured"
        : `the parent cluster ${this.asked} does not exist`
    const known = this.known.length === 0 ? "no cluster is known" : `known clusters: ${this.known.join(", ")}`
    // A problem with a file explains the other parts, so it comes first.
    return [...this.problems, what, known, ...this.warnings].join("; ")
  }
}

/** The program does not run in a pod with access to its cluster. */
export class NotInCluster extends Schema.TaggedError<NotInCluster>()("NotInCluster", { problem: Schema.String }) {
  override get message(): string {
    return `not in a pod with a service account: ${this.problem}`
  }
}

/** Every failure to start a registry. Recover from a single reason with `Effect.catchReason`. */
export class RegistryError extends Schema.TaggedError<RegistryError>()("RegistryError", {
  reason: Schema.Union([ParentNotFound, NotInCluster])
}) {
  override get message(): string {
    return this.reason.message
  }
}
