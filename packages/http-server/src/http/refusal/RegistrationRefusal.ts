/**
 * Maps errors of registering and removing clusters to problems of the contract.
 */
import type * as Problem from "@quarterdeck/contract/Problem"
import type { KeyStoreError } from "@quarterdeck/keys/KeyError"
import { Effect } from "effect"
import type {
  ClusterConfigured,
  ClusterExists,
  ClusterRefused,
  ClusterUnknown,
  TooManyClusters
} from "../../services/RegistrationError.ts"
import * as KeyRefusal from "./KeyRefusal.ts"
import { refuse } from "./Refusal.ts"

/**
 * Fails with the problem of an error.
 *
 * **Errors** `cluster_refused`, `cluster_exists`, `cluster_configured`, `cluster_not_found`, `too_many_clusters`, each with
 * the field; `key_store_unavailable`, whose cause is only logged.
 */
export const fromError = (
  error: ClusterConfigured | ClusterExists | ClusterRefused | ClusterUnknown | TooManyClusters | KeyStoreError
): Effect.Effect<never, Problem.Problem> => {
  const { message: detail } = error
  switch (error._tag) {
    case "ClusterRefused":
      return refuse("cluster_refused", { detail, field: error.field })
    case "ClusterExists":
      return refuse("cluster_exists", { detail, field: "name" })
    case "ClusterConfigured":
      return refuse("cluster_configured", { detail, field: "name" })
    case "ClusterUnknown":
      return refuse("cluster_not_found", { detail, field: "name" })
    case "TooManyClusters":
      return refuse("too_many_clusters", { detail, field: "name" })
    case "KeyStoreError":
      return KeyRefusal.fromError(error)
  }
}
