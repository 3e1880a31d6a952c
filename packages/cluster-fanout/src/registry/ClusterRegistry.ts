/**
 * The registered clusters and their changes.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, type Effect, type Stream } from "effect"
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
