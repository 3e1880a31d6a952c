/**
 * Knows the registered clusters and tells when they change.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, type Effect, type Stream } from "effect"
import type { Cluster } from "./Cluster.ts"

/** An entry of a source that was not taken, or taken with a warning; never holds a secret. */
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
  /** File, or file and context, as the operator knows it. */
  readonly source: string
  readonly message: string
}

/**
 * One immutable view of the registry; `RegistrySnapshot.make` makes one of a program's own clusters.
 *
 * **Shape** the parent first, then by name; one cluster has the role of parent, and no name is there twice.
 */
export interface RegistrySnapshot {
  readonly parent: ClusterName
  readonly clusters: ReadonlyArray<Cluster>
  readonly problems: ReadonlyArray<RegistryProblem>
}

/**
 * Says which clusters there are: a port, for an inventory of one's own too.
 *
 * **Shape** `changes` begins with the present snapshot and never fails; `snapshot` is at least as new as the last one that
 * it emitted. A listener that is slow may miss snapshots, but not the last one. A cluster whose connection is the same keeps its `generation`; with another one it is followed anew. One
 * that is left out is forgotten at once, and its history of costs is kept.
 *
 * **Limits** `snapshot` is asked by every request. Any number of listeners follow `changes`.
 */
export class ClusterRegistry extends Context.Service<
  ClusterRegistry,
  {
    /** Gives the clusters registered now. **Limits** no I/O. */
    readonly snapshot: Effect.Effect<RegistrySnapshot>
    /** Emits the present snapshot, then every later one. */
    readonly changes: Stream.Stream<RegistrySnapshot>
  }
>()("@quarterdeck/cluster-fanout/ClusterRegistry") {}
