/**
 * Maps errors of actions on one workload to problems of the contract.
 */
import { FailedAction, type WorkloadActions } from "@quarterdeck/cluster-fanout"
import type * as Problem from "@quarterdeck/contract/Problem"
import { Effect } from "effect"
import * as ListRefusal from "./ListRefusal.ts"
import { refuse } from "./Refusal.ts"

/** The request field of each error. */
const FIELDS: Readonly<Partial<Record<WorkloadActions.ActionError["_tag"], string>>> = {
  ActionUnsupported: "kind",
  NamespaceForbidden: "namespace",
  WorkloadChanged: "resourceVersion",
  WorkloadNotFound: "name"
}

/**
 * Fails with the problem of an error.
 *
 * **Errors** `action_unsupported`, `namespace_forbidden`, `workload_not_found`, `workload_changed`, `cluster_forbids`,
 * `outcome_unknown`; if the cluster did not answer, the codes of lists.
 */
export const fromError = Effect.fnUntraced(function* (
  error: WorkloadActions.ActionError
): Effect.fn.Return<never, Problem.Problem> {
  const { code, failure } = yield* FailedAction.fromError(error)
  if (failure !== undefined) return yield* ListRefusal.fromError(failure, error.message)
  const field = FIELDS[error._tag]
  return yield* refuse(code, { detail: error.message, ...(field === undefined ? {} : { field }) })
})
