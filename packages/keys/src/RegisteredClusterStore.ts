/**
 * Port of the store of clusters that were registered at run time.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, type DateTime, type Effect } from "effect"
import type { KeyStoreError } from "./KeyError.ts"

/** A registered cluster. **Shape** `sealed`: its encrypted connection, which only the service that registered it can open. */
export interface RegisteredClusterRecord {
  readonly name: ClusterName
  readonly sealed: string
  readonly createdAt: DateTime.Utc
  /** The id of the key that registered it. */
  readonly createdBy: string
}

/** The port. **Errors** every call: `KeyStoreError`. */
export class RegisteredClusterStore extends Context.Service<
  RegisteredClusterStore,
  {
    /** Lists every cluster, sorted by name. */
    readonly list: Effect.Effect<ReadonlyArray<RegisteredClusterRecord>, KeyStoreError>
    /** Stores a cluster, atomically. `taken`: a cluster has the name. `full`: `most` clusters are stored. */
    readonly insert: (
      record: RegisteredClusterRecord,
      most: number
    ) => Effect.Effect<"inserted" | "taken" | "full", KeyStoreError>
    /** Deletes a cluster. Returns false if no cluster has the name. */
    readonly remove: (name: ClusterName) => Effect.Effect<boolean, KeyStoreError>
  }
>()("@quarterdeck/keys/RegisteredClusterStore") {}
