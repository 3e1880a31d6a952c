/**
 * The workloads of one, several or all clusters: listed, and changed many at once.
 */
import { WorkloadSort } from "@quarterdeck/cluster-fanout/ListQuery"
import { OutcomeCode } from "@quarterdeck/cluster-fanout/OutcomeCode"
import { WorkloadRow } from "@quarterdeck/cluster-fanout/Row"
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
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"
import * as ReplyForm from "./ReplyForm.ts"
import { targetHeader } from "./ClusterHeaderSchema.ts"
import { dryRun, Replicas } from "./WorkloadGroup.ts"

export const WorkloadList = Schema.Struct({ workloads: Schema.Array(WorkloadRow), ...envelopeFields }).annotate({
  identifier: "WorkloadList"
})
export type WorkloadList = typeof WorkloadList.Type

/** What names a workload among all clusters. */
export const WorkloadName = Schema.Struct({
  cluster: ClusterName,
  namespace: NamespaceName,
  kind: Kind,
  name: ObjectName
}).annotate({ identifier: "WorkloadName" })

/**
 * A change of many workloads.
 *
 * **Shape** either `targets` or `labelSelector`; `replicas` with scale alone; `multiCluster` and `clusters` with `labelSelector`
 * alone.
 */
export const BulkActionRequest = Schema.Struct({
  action: Schema.Literals(["scale", "restart", "pause", "resume"]),
  replicas: Schema.optionalKey(Replicas),
  targets: Schema.optionalKey(Schema.Array(WorkloadName)).annotateKey({
    description: "The workloads, 500 at most, each once."
  }),
  labelSelector: Schema.optionalKey(LabelSelector).annotateKey({
    description:
      "Instead of `targets`: labels of the workloads, as `kubectl -l` takes them, in the addressed clusters; 500 at most."
  }),
  ...TargetRequest.bodyFields,
  ...dryRun
}).annotate({ identifier: "BulkActionRequest" })
export type BulkActionRequest = typeof BulkActionRequest.Type

/** Codes of workloads that were left as they are, since the caller's key ended while others were changed. */
const keyCodes = ["key_revoked", "key_expired", "session_ended", "invalid_key"] as const

/** Codes of problems, one for each reason why a workload was not changed. */
const BulkCode = Schema.Literals([...OutcomeCode.literals, ...keyCodes] satisfies ReadonlyArray<Problem.Code>)

/** What became of one workload. **Shape** `code` with `refused` and `failed`, `resourceVersion` with the others. */
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
  partial: Schema.Boolean.annotateKey({ description: "Whether some addressed cluster did not answer." })
}).annotate({ identifier: "BulkActionResult" })
export type BulkActionResult = typeof BulkActionResult.Type

const idempotencyHeader = {
  "idempotency-key": Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[!-~]{1,255}$/, { expected: "1 to 255 visible ASCII characters without spaces" })
    )
  ).annotateKey({
    description:
      "A text that is new for each change: the same one again, within 24 hours, is answered with what became of it, and nothing is done."
  })
}

/** The query parameters of a list of workloads. */
export const workloadParameters = {
  ...namespaceParameter,
  ...kindParameter,
  ...nameParameters,
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
          description: "Merged over the addressed clusters, with one coverage entry a cluster."
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
            "Scales, restarts, pauses or resumes up to 500 workloads of one, several or all clusters, each once. One that is out of the key's scope refuses the whole call before anything is done; what becomes of each other is a row. With `Accept: text/event-stream` the reply is server-sent events: an `outcome` for each target as it is known, then `end` with `partial` and how many there are of each status.",
          transform: (operation) =>
            ReplyForm.add(operation, "text/event-stream", {
              description:
                "Server-sent events: `outcome`, whose data is a BulkOutcome as JSON, for each target, then `end`, whose data has `partial` and how many there are of each status, or `code` where the service failed. Comments come every 15 s."
            })
        })
      ),
    HttpApiEndpoint.get("watch", "/workloads/watch", {
      headers: { ...targetHeader, ...lastEventId },
      query: { ...namespaceParameter, ...kindParameter, ...nameParameters },
      success: eventStream,
      error: Problem.ofFanOut
    })
      .annotate(EndpointPolicy, { resource: "workloads", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Follow workloads",
          description: `The rows that a list would hold, and each change of them, as server-sent events. ${STREAM_NOTES}`
        })
      )
  )
  .annotate(OpenApi.Description, "The workloads of one, several or all clusters.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
