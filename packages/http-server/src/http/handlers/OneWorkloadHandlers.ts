/**
 * `/api/v1/workloads/{cluster}/{namespace}/{kind}/{name}`.
 */
import { type Action, WorkloadActions } from "@quarterdeck/cluster-fanout"
import * as RowLimit from "@quarterdeck/cluster-fanout/RowLimit"
import { WorkloadDetails } from "@quarterdeck/cluster-fanout/WorkloadDetails"
import { Api } from "@quarterdeck/contract/Api"
import { type ActionResult, ActionRequest, ScaleRequest, type WorkloadReply } from "@quarterdeck/contract/WorkloadGroup"
import * as Rule from "@quarterdeck/keys/Rule"
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Result, type Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import * as ActionRefusal from "../refusal/ActionRefusal.ts"
import { Deadlines } from "../lists/ListPage.ts"
import * as ListQuestion from "../lists/ListQuestion.ts"
import * as ListReply from "../lists/ListReply.ts"
import * as RequestBody from "../guard/RequestBody.ts"
import * as AuditedChange from "../audit/AuditedChange.ts"
import * as DetachedOutcome from "../audit/DetachedOutcome.ts"
import * as TargetResolution from "../guard/TargetResolution.ts"

interface Named {
  readonly params: {
    readonly cluster: ClusterName
    readonly namespace: string
    readonly kind: string
    readonly name: string
  }
}

export const OneWorkloadHandlers = HttpApiBuilder.group(
  Api,
  "workload",
  Effect.fn(function* (handlers) {
    const actions = yield* WorkloadActions.WorkloadActions
    const lookup = yield* WorkloadDetails

    /** Makes the handler of an action. **Shape** checks syntax first, then scope, then the cluster. */
    const act = <Body extends ActionRequest>(
      body: Schema.ConstraintDecoder<unknown> & { readonly Type: Body },
      changeOf: (body: Body) => Action.Change
    ) =>
      Effect.fnUntraced(function* ({ params }: Named) {
        yield* TargetResolution.requireHeaderOf(params.cluster)
        const asked = yield* RequestBody.decode(body)
        const { rule } = (yield* TargetResolution.admit).principal
        const { maxTimeoutMs, timeoutMs } = yield* Deadlines
        const outcome = yield* actions
          .run(
            {
              ...params,
              namespaces: Rule.namespaceFilter(rule),
              change: changeOf(asked),
              isDryRun: asked.dryRun === true,
              ...(asked.resourceVersion === undefined ? {} : { resourceVersion: asked.resourceVersion }),
              readMs: timeoutMs,
              writeMs: maxTimeoutMs
            },
            noteOutcome
          )
          .pipe(Effect.catch(ActionRefusal.fromError))
        return { ...params, ...outcome } satisfies ActionResult
      })

    return handlers
      .handle(
        "get",
        Effect.fnUntraced(function* ({ params }) {
          yield* TargetResolution.requireHeaderOf(params.cluster)
          const { rule } = (yield* TargetResolution.admit).principal
          const { timeoutMs } = yield* Deadlines
          const found = yield* lookup
            .look({
              ...params,
              namespaces: Rule.namespaceFilter(rule),
              mayReadLogs: ListQuestion.mayReadLogs(rule),
              timeoutMs
            })
            .pipe(Effect.catch(ActionRefusal.fromError))
          return {
            ...found,
            workload: RowLimit.limited(found.workload),
            pods: ListReply.fittingRows(found.pods)
          } satisfies WorkloadReply
        })
      )
      .handleRaw(
        "scale",
        act(ScaleRequest, ({ replicas }) => ({ action: "scale", replicas }))
      )
      .handleRaw(
        "restart",
        act(ActionRequest, () => ({ action: "restart" }))
      )
      .handleRaw(
        "pause",
        act(ActionRequest, () => ({ action: "pause" }))
      )
      .handleRaw(
        "resume",
        act(ActionRequest, () => ({ action: "resume" }))
      )
  })
)

/** Records the outcome of a change, and the state before and after it, for the audit, even if the caller has disconnected. */
const noteOutcome: WorkloadActions.OnOutcome = (outcome) =>
  Effect.gen(function* () {
    const status = Result.isSuccess(outcome)
      ? 200
      : (yield* Effect.flip(ActionRefusal.fromError(outcome.failure))).status
    if (Result.isSuccess(outcome)) {
      const { after, before } = outcome.success
      yield* AuditedChange.note({ before: { ...before }, after: { ...after } })
    }
    yield* DetachedOutcome.settle(status)
  })
