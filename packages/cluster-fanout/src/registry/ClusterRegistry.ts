/**
 * The registered clusters and their changes, and the errors of starting a registry.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, type Effect, Schema, type Stream } from "effect"
import type { Cluster } from "./Cluster.ts"

/** A problem with an entry of a cluster source. `error`: the entry was rejected. Contains no secret. */
export interface RegistryProblem {
  readonly severity: "error" | "warning"
  readonly code:
    | "nameTaken"
    | "nameInvalid"
    | "entryDiffers"
    | "documentsIgnored"
    | "contextIncomplete"
    | "fileUnreadable"
    | "fileInvalid"
    | "insecureSkipTlsVerify"
    | "contextUnknown"
    | "execUnsupported"
    | "credentialUnsupported"
    | "proxyUnsupported"
    | "parentMissing"
    | "registrationUnreadable"
    | "addressRefused"
    | "sourceUnreadable"
    | "tooManyClusters"
  /** File, or file and context, as the operator wrote it. */
  readonly source: string
  readonly message: string
}

/**
 * One immutable view of the registry. `RegistrySnapshot.make` makes one from a program's own clusters.
 *
 * **Shape** exactly one cluster is the parent: the one that a request without a target addresses. The parent comes
 * first, then the others by name. Names are unique.
 */
export interface RegistrySnapshot {
  readonly parent: ClusterName
  readonly clusters: ReadonlyArray<Cluster>
  readonly problems: ReadonlyArray<RegistryProblem>
}

/**
 * Lists the registered clusters. A port: applications may provide their own inventory.
 *
 * **Shape** `changes` starts with the current snapshot and never fails. `snapshot` is at least as new as the last
 * emitted one. A slow listener may miss snapshots, but not the latest.
 *
 * A cluster with an unchanged connection keeps its `generation`. A changed connection restarts its watches. A cluster
 * that is left out is removed at once; its cost history is kept.
 *
 * **Limits** every request reads `snapshot`. Any number of listeners may follow `changes`.
 */
export class ClusterRegistry extends Context.Service<
  ClusterRegistry,
  {
    /** Returns the clusters registered now. **Limits** no I/O. */
    readonly snapshot: Effect.Effect<RegistrySnapshot>
    /** Emits the current snapshot, then each later one. */
    readonly changes: Stream.Stream<RegistrySnapshot>
  }
>()("@quarterdeck/cluster-fanout/ClusterRegistry") {}

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
