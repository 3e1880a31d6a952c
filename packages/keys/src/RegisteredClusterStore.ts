/**
 * Where clusters are kept that were registered at run time.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Context, type DateTime, type Effect } from "effect"
import type { KeyStoreError } from "./KeyError.ts"

/** A registered cluster. **Shape** `sealed` is its connection, which only the service that registered it can open. */
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
    /** Lists every cluster by its name. */
    readonly list: Effect.Effect<ReadonlyArray<RegisteredClusterRecord>, KeyStoreError>
    /** Keeps a cluster, in one step; `taken`: its name is kept already, `full`: there are `most` of them. */
    readonly insert: (
      record: RegisteredClusterRecord,
      most: number
    ) => Effect.Effect<"inserted" | "taken" | "full", KeyStoreError>
    /** Forgets a cluster; false where there was none. */
    readonly remove: (name: ClusterName) => Effect.Effect<boolean, KeyStoreError>
  }
>()("@quarterdeck/keys/RegisteredClusterStore") {}
