/**
 * Status and code of a change that failed, the same for one workload and for many.
 */
import { Effect } from "effect"
import { failureOf } from "../list/FanOut.ts"
import type { FanOutFailed } from "../list/ListError.ts"
import type { OutcomeCode } from "./OutcomeCode.ts"
import type { ActionError } from "./WorkloadActions.ts"

/**
 * A change that failed.
 *
 * **Shape** `refused`: nothing was changed, and a retry would be refused too. `failed`: the cluster did not answer;
 * `failure` contains the cluster's coverage, and is absent if the outcome is unknown.
 */
export interface FailedAction {
  readonly status: "refused" | "failed"
  readonly code: OutcomeCode
  readonly failure?: FanOutFailed
}

const refused = (code: OutcomeCode): Effect.Effect<FailedAction> => Effect.succeed({ status: "refused", code })
const unanswered = (failure: FanOutFailed): Effect.Effect<FailedAction> =>
  Effect.succeed({ status: "failed", code: failure.code, failure })

/** Maps an error to a status and a code. */
export const fromError = (error: ActionError): Effect.Effect<FailedAction> => {
  switch (error._tag) {
    case "ActionUnsupported":
      return refused("action_unsupported")
    case "NamespaceForbidden":
      return refused("namespace_forbidden")
    case "WorkloadNotFound":
      return refused("workload_not_found")
    case "WorkloadChanged":
      return refused("workload_changed")
    case "ActionRefused":
      return refused("cluster_forbids")
    case "FanOutFailed":
      return unanswered(error)
    case "ActionNotDone": {
      const failure = failureOf([error.coverage])
      return failure === undefined
        ? Effect.die(new Error("the coverage of a failed action says that the cluster answered"))
        : unanswered(failure)
    }
    case "OutcomeUnknown":
      return Effect.succeed({ status: "failed", code: "outcome_unknown" })
  }
}
