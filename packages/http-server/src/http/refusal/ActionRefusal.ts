/**
 * Turns what makes a call on one workload fail into problems of the contract.
 */
import type { ActionError, WorkloadActions } from "@quarterdeck/cluster-fanout"
import type * as Problem from "@quarterdeck/contract/Problem"
import { failureOf } from "@quarterdeck/cluster-fanout/FanOut"
import { Effect } from "effect"
import * as ListRefusal from "./ListRefusal.ts"
import { refuse } from "./Refusal.ts"

/**
 * Fails with the problem of an error.
 *
 * **Errors** `action_unsupported`, `namespace_forbidden`, `workload_not_found`, `workload_changed`, `cluster_forbids`,
 * `outcome_unknown`; as of lists, and with the same codes, where the cluster did not answer.
 */
export const fromError = (error: WorkloadActions.ActionError): Effect.Effect<never, Problem.Problem> => {
  switch (error._tag) {
    case "ActionUnsupported":
      return refuse("action_unsupported", { detail: error.message, field: "kind" })
    case "WorkloadNotFound":
      return refuse("workload_not_found", { detail: error.message, field: "name" })
    case "WorkloadChanged":
      return refuse("workload_changed", { detail: error.message, field: "resourceVersion" })
    case "ActionRefused":
      return refuse("cluster_forbids", { detail: error.message })
    case "OutcomeUnknown":
      return refuse("outcome_unknown", { detail: error.message })
    case "ActionNotDone":
      return notDone(error)
    case "FanOutFailed":
    case "NamespaceForbidden":
      return ListRefusal.fromError(error)
  }
}

const notDone = ({ coverage, message }: ActionError.ActionNotDone) => {
  const failure = failureOf([coverage])
  return failure === undefined
    ? Effect.die(new Error("a cluster that answered and did not"))
    : ListRefusal.fromError(failure, message)
}
