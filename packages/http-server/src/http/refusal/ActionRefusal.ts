/**
 * Turns what makes a call on one workload fail into problems of the contract.
 */
import { FailedAction, type WorkloadActions } from "@quarterdeck/cluster-fanout"
import type * as Problem from "@quarterdeck/contract/Problem"
import { Effect } from "effect"
import * as ListRefusal from "./ListRefusal.ts"
import { refuse } from "./Refusal.ts"

/** The field of the request that an error is about. */
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
 * `outcome_unknown`; as of lists, and with the same codes, where the cluster did not answer.
 */
export const fromError = Effect.fnUntraced(function* (
  error: WorkloadActions.ActionError
): Effect.fn.Return<never, Problem.Problem> {
  const { code, failure } = yield* FailedAction.fromError(error)
  if (failure !== undefined) return yield* ListRefusal.fromError(failure, error.message)
  const field = FIELDS[error._tag]
  return yield* refuse(code, { detail: error.message, ...(field === undefined ? {} : { field }) })
})
