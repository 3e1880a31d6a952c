/**
 * Why the registry could not start.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"

/** No cluster can be the parent. **Shape** `asked` is absent when the current context should have been it. */
export class ParentNotFound extends Schema.TaggedError<ParentNotFound>()("ParentNotFound", {
  asked: Schema.optionalKey(ClusterName),
  known: Schema.Array(ClusterName),
  /** The first of the files and contexts that cannot be used, and of those to wonder about. */
  problems: Schema.Array(Schema.String),
  warnings: Schema.Array(Schema.String)
}) {
  override get message(): string {
    const what =
      this.asked === undefined
        ? "no parent cluster: the kubeconfig has no usable current context, and no parent is named"
        : `no cluster is named ${this.asked}, which should be the parent`
    const known = this.known.length === 0 ? "no cluster is known" : `known clusters: ${this.known.join(", ")}`
    // What is wrong with a file is why the rest is missing.
    return [...this.problems, what, known, ...this.warnings].join("; ")
  }
}

/** The program does not run in a pod that may speak to its cluster. */
export class NotInCluster extends Schema.TaggedError<NotInCluster>()("NotInCluster", { problem: Schema.String }) {
  override get message(): string {
    return `not in a pod with a service account: ${this.problem}`
  }
}

/** Every failure to start a registry; recover from one with `Effect.catchReason`. */
export class RegistryError extends Schema.TaggedError<RegistryError>()("RegistryError", {
  reason: Schema.Union([ParentNotFound, NotInCluster])
}) {
  override get message(): string {
    return this.reason.message
  }
}
