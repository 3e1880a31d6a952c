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
    | "contextIncomplete"
    | "fileUnreadable"
    | "fileInvalid"
    | "insecureSkipTlsVerify"
    | "execUnsupported"
    | "credentialUnsupported"
    | "proxyUnsupported"
    | "parentMissing"
  /** File, or file and context, as the operator knows it. */
  readonly source: string
  readonly message: string
}

/** One immutable view of the registry. **Shape** the parent first, then by name. */
export interface RegistrySnapshot {
  readonly parent: ClusterName
  readonly clusters: ReadonlyArray<Cluster>
  readonly problems: ReadonlyArray<RegistryProblem>
}

export class ClusterRegistry extends Context.Service<
  ClusterRegistry,
  {
    /** Gives the clusters registered now. **Limits** no I/O. */
    readonly snapshot: Effect.Effect<RegistrySnapshot>
    /** Emits the present snapshot, then every later one. */
    readonly changes: Stream.Stream<RegistrySnapshot>
  }
>()("@quarterdeck/cluster-fanout/ClusterRegistry") {}
