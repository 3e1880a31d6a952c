/**
 * The body of `POST /api/v1/workloads/actions`: the workloads and the change.
 */
import { type Action, BulkActions, LabelSelector } from "@quarterdeck/cluster-fanout"
import type { WorkloadStatus } from "@quarterdeck/cluster-fanout/Row"
import { BulkActionRequest } from "@quarterdeck/contract/WorkloadsGroup"
import { Effect, Result } from "effect"
import * as RequestBody from "../guard/RequestBody.ts"

export interface BulkBody {
  readonly request: BulkActionRequest
  readonly change: Action.Change
  readonly isDryRun: boolean
  readonly which:
    | { readonly _tag: "Named"; readonly targets: ReadonlyArray<BulkActions.BulkTarget> }
    | {
        readonly _tag: "Selected"
        readonly labelSelector: LabelSelector.LabelSelector
        readonly status?: ReadonlyArray<WorkloadStatus>
      }
}

const fault = (field: string, problem: string) => RequestBody.refuseFault({ field, problem, isUnknown: false })

const changeOf = ({ action, replicas }: BulkActionRequest) => {
  if (action === "scale") {
    return replicas === undefined
      ? fault("replicas", "is required with scale")
      : Effect.succeed<Action.Change>({ action, replicas })
  }
  return replicas === undefined
    ? Effect.succeed<Action.Change>({ action })
    : fault("replicas", `is allowed only with scale, not with ${action}`)
}

const namedBy = (request: BulkActionRequest, targets: ReadonlyArray<BulkActions.BulkTarget>) => {
  for (const field of ["labelSelector", "status", "multiCluster", "clusters"] as const) {
    if (request[field] !== undefined) return fault(field, "is not allowed together with targets")
  }
  const { length } = targets
  if (length === 0 || length > BulkActions.MAX_TARGETS) {
    return fault("targets", `expected 1 to ${BulkActions.MAX_TARGETS} workloads, not ${length}`)
  }
  const seen = new Set<string>()
  for (const [index, { cluster, kind, name, namespace }] of targets.entries()) {
    const place = JSON.stringify([cluster, namespace, kind, name])
    if (seen.has(place)) return fault(`targets[${index}]`, "is a duplicate; each workload may be named once")
    seen.add(place)
  }
  return Effect.succeed<BulkBody["which"]>({ _tag: "Named", targets })
}

const selectedBy = ({ labelSelector: text, status }: BulkActionRequest) => {
  if (text === undefined) {
    return status === undefined
      ? fault("targets", "is required unless labelSelector is set")
      : fault("status", "is allowed only together with labelSelector")
  }
  const selector = LabelSelector.parse(text)
  if (Result.isFailure(selector)) return fault("labelSelector", selector.failure.message)
  return selector.success.length === 0
    ? fault("labelSelector", "selects every workload; name at least one label")
    : Effect.succeed<BulkBody["which"]>({
        _tag: "Selected",
        labelSelector: selector.success,
        ...(status === undefined ? {} : { status })
      })
}

/** Reads the body of the current request. **Errors** `malformed_json`, `invalid_body` with the invalid field. */
export const read = Effect.gen(function* () {
  const request = yield* RequestBody.decode(BulkActionRequest)
  const { dryRun, targets } = request
  const change = yield* changeOf(request)
  const which = yield* targets === undefined ? selectedBy(request) : namedBy(request, targets)
  const body: BulkBody = { request, change, isDryRun: dryRun === true, which }
  return body
})
