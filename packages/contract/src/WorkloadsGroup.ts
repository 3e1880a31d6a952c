/**
 * Endpoints that list, watch and change workloads of one, several or all clusters.
 */
import { WorkloadSort } from "@quarterdeck/cluster-fanout/ListQuery"
import { OutcomeCode } from "@quarterdeck/cluster-fanout/OutcomeCode"
import { StatusCounts, WorkloadRow, WorkloadStatus } from "@quarterdeck/cluster-fanout/Row"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { NamespaceName } from "@quarterdeck/targeting/NamespaceFilter"
import * as TargetRequest from "@quarterdeck/targeting/TargetRequest"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { envelopeFields } from "./Envelope.ts"
import { eventStream, lastEventId, STREAM_NOTES } from "./EventStream.ts"
import {
  Kind,
  kindParameter,
  LabelSelector,
  nameParameters,
  ObjectName,
  namespaceParameter,
  pageParameters,
  sortParameter
} from "./ListParameters.ts"
import * as FileReply from "./FileReply.ts"
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"
import { targetHeader } from "./ClusterHeaderSchema.ts"
import { dryRun, Replicas } from "./WorkloadGroup.ts"

export const WorkloadList = Schema.Struct({
  workloads: Schema.Array(WorkloadRow),
  ...envelopeFields,
  statusCounts: Schema.optionalKey(StatusCounts).annotateKey({
    description:
      "Only on a first page: the workloads of each status that match the other filters, whatever `status` selects, in the clusters that answered."
  })
}).annotate({
  identifier: "WorkloadList"
})
export type WorkloadList = typeof WorkloadList.Type

export const WorkloadName = Schema.Struct({
  cluster: ClusterName,
  namespace: NamespaceName,
  kind: Kind,
  name: ObjectName
}).annotate({ identifier: "WorkloadName" })

/**
 * The body that changes many workloads.
 *
 * **Shape** either `targets` or `labelSelector`. `replicas` only with `scale`; `status`, `multiCluster` and `clusters`
 * only with `labelSelector`.
 */
export const BulkActionRequest = Schema.Struct({
  action: Schema.Literals(["scale", "restart", "pause", "resume"]),
  replicas: Schema.optionalKey(Replicas),
  targets: Schema.optionalKey(Schema.Array(WorkloadName)).annotateKey({
    description: "Workloads to change: 500 at most, without duplicates."
  }),
  labelSelector: Schema.optionalKey(LabelSelector).annotateKey({
    description:
      "Instead of `targets`: changes the workloads of the addressed clusters whose labels match, 500 at most. The syntax is that of `kubectl -l`."
  }),
  status: Schema.optionalKey(Schema.NonEmptyArray(WorkloadStatus)).annotateKey({
    description:
      "Only with `labelSelector`: of the workloads that match, only those with one of these statuses. The rows are at most 5 s old. A workload that has changed since is `refused` with `workload_changed`."
  }),
  ...TargetRequest.bodyFields,
  ...dryRun
}).annotate({ identifier: "BulkActionRequest" })
export type BulkActionRequest = typeof BulkActionRequest.Type

/** Codes of workloads that were not changed because the caller's key or session ended during the call. */
const keyCodes = ["key_revoked", "key_expired", "session_ended", "invalid_key"] as const

/** Problem code of a workload that was not changed. */
const BulkCode = Schema.Literals([...OutcomeCode.literals, ...keyCodes] satisfies ReadonlyArray<Problem.Code>)

/** The outcome of one workload. **Shape** `code` with `refused` and `failed`, `resourceVersion` with the other statuses. */
export const BulkOutcome = Schema.Struct({
  cluster: ClusterName,
  namespace: Schema.String,
  kind: Schema.String,
  name: Schema.String,
  status: Schema.Literals(["applied", "dryRun", "refused", "failed"]),
  code: Schema.optionalKey(BulkCode),
  resourceVersion: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "BulkOutcome" })
export type BulkOutcome = typeof BulkOutcome.Type

/** Why a bulk action leaves the remaining workloads as they are. */
export type StopCode = (typeof keyCodes)[number] | Extract<OutcomeCode, "namespace_forbidden">

/** The outcomes of a bulk action, in the order of its targets. */
export const BulkActionResult = Schema.Struct({
  outcomes: Schema.Array(BulkOutcome),
  partial: Schema.Boolean.annotateKey({ description: "True if an addressed cluster did not answer." })
}).annotate({ identifier: "BulkActionResult" })
export type BulkActionResult = typeof BulkActionResult.Type

const idempotencyHeader = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[!-~]{1,255}$/, { expected: "1 to 255 visible ASCII characters without spaces" })
    )
  ).annotateKey({
    description:
      "Unique text for each change. A second request with the same key within 24 hours gets the stored outcome, and nothing is done."
  })
}

/** Filters of workloads. */
const workloadFilters = {
  ...namespaceParameter,
  ...kindParameter,
  ...nameParameters,
  status: Schema.optionalKey(Schema.Array(WorkloadStatus)).annotateKey({
    description: "Only workloads with this status. Repeat the parameter to match any of several statuses."
  })
}

/** Query parameters of the workload list. */
export const workloadParameters = {
  ...workloadFilters,
  ...sortParameter(WorkloadSort),
  ...pageParameters
}

export class WorkloadsGroup extends HttpApiGroup.make("workloads")
  .add(
    HttpApiEndpoint.get("list", "/workloads", {
      headers: targetHeader,
      query: workloadParameters,
      success: WorkloadList,
      error: Problem.ofFanOut
    })
      .annotate(EndpointPolicy, { resource: "workloads", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "List workloads",
          description: "Merges the workloads of the addressed clusters, with one coverage entry for each cluster."
        })
      ),
    HttpApiEndpoint.post("act", "/workloads/actions", {
      headers: { ...targetHeader, ...idempotencyHeader },
      payload: BulkActionRequest,
      success: BulkActionResult,
      error: [...Problem.ofFanOut, ...Problem.ofBody, ...Problem.ofIdempotency]
    })
      .annotate(EndpointPolicy, { resource: "workloads", verb: "operate", canDryRun: "body" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Change many workloads",
          description:
            "Scales, restarts, pauses or resumes up to 500 workloads of one, several or all clusters. If a target lies outside the key's scope, the whole request is refused before anything is done. Otherwise the reply has one outcome for each target. With `Accept: text/event-stream` the reply is server-sent events: an `outcome` for each target as soon as it is known, then `end` with `partial` and the number of outcomes of each status.",
          transform: (operation) =>
            FileReply.addMediaType(operation, "text/event-stream", {
              description:
                "Server-sent events. `outcome`: a BulkOutcome as JSON, one for each target. `end`: `partial` and the number of outcomes of each status, or `code` if the server failed. A comment is sent every 15 s."
            })
        })
      ),
    HttpApiEndpoint.get("watch", "/workloads/watch", {
      headers: { ...targetHeader, ...lastEventId },
      query: workloadFilters,
      success: eventStream,
      error: Problem.ofFanOut
    })
      .annotate(EndpointPolicy, { resource: "workloads", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Watch workloads",
          description: `Sends the rows of the workload list, then each change of a row, as server-sent events. ${STREAM_NOTES}`
        })
      )
  )
  .annotate(OpenApi.Description, "The workloads of one, several or all clusters.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
