/**
 * Endpoints of one workload: read, scale, restart, pause and resume.
 */
import { Coverage } from "@quarterdeck/cluster-fanout/Coverage"
import { PodRow, WorkloadDetail } from "@quarterdeck/cluster-fanout/Row"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { NamespaceName } from "@quarterdeck/targeting/NamespaceFilter"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { documents } from "./DocumentedText.ts"
import { Kind, ObjectName } from "./ListParameters.ts"
import { EndpointPolicy, type Policy } from "./Policy.ts"
import * as Problem from "./Problem.ts"
import { targetHeader } from "./ClusterHeaderSchema.ts"

/** Maximum number of replicas that a workload can be scaled to. */
export const MAX_REPLICAS = 10_000

export const Replicas = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: MAX_REPLICAS }, { expected: `a whole number from 0 to ${MAX_REPLICAS}` })
).annotate({ description: "Desired number of pods." })

export const dryRun = {
  dryRun: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "`true` changes nothing: the cluster validates the change, and the reply shows its effect.",
    default: false
  })
}

const version = {
  resourceVersion: Schema.optionalKey(
    Schema.NonEmptyString.check(Schema.isMaxLength(128, { expected: "at most 128 characters" }))
  ).annotateKey({
    description:
      "Version of the workload that you read. If the workload has another version, the reply is 409 `workload_changed`."
  })
}

/** Options of an action. All are optional. */
export const ActionRequest = Schema.Struct({ ...dryRun, ...version }).annotate({ identifier: "ActionRequest" })
export type ActionRequest = typeof ActionRequest.Type

export const ScaleRequest = Schema.Struct({
  replicas: Replicas,
  ...dryRun,
  ...version
}).annotate({ identifier: "ScaleRequest" })
export type ScaleRequest = typeof ScaleRequest.Type

/** The fields that actions change. `restartedAt` is absent if the workload was never restarted. */
const ActionState = Schema.Struct({
  replicas: Schema.optionalKey(Schema.Natural),
  isPaused: Schema.optionalKey(Schema.Boolean),
  restartedAt: Schema.optionalKey(Schema.String.check(documents({ format: "date-time" })))
}).annotate({ identifier: "ActionState" })

export const ActionResult = Schema.Struct({
  cluster: ClusterName,
  namespace: Schema.String,
  kind: Schema.String,
  name: Schema.String,
  status: Schema.Literals(["applied", "dryRun"]),
  resourceVersion: Schema.String.annotateKey({
    description: "Version of the workload after the action. Of a dry run, its current version."
  }),
  before: ActionState,
  after: ActionState
}).annotate({ identifier: "ActionResult" })
export type ActionResult = typeof ActionResult.Type

/**
 * A workload and its pods.
 *
 * **Shape** at most 500 pods, unready pods first. `podCount` counts all of them.
 */
export const WorkloadReply = Schema.Struct({
  workload: WorkloadDetail,
  pods: Schema.Array(PodRow),
  podCount: Schema.Natural.annotateKey({ description: "Number of pods of the workload. `pods` contains 500 at most." }),
  clusters: Schema.Array(Coverage),
  partial: Schema.Boolean
}).annotate({ identifier: "WorkloadReply" })
export type WorkloadReply = typeof WorkloadReply.Type

/** Path parameters that name a workload. */
export const workloadPath = {
  cluster: ClusterName.annotateKey({ description: "Name of the cluster." }),
  namespace: NamespaceName.annotateKey({ description: "Name of the namespace." }),
  kind: Kind.annotateKey({ description: "Kind of the workload, such as Deployment." }),
  name: ObjectName.annotateKey({ description: "Name of the workload." })
}

const PATH = "/workloads/:cluster/:namespace/:kind/:name"

const policy: Policy = { resource: "workloads", verb: "operate", canDryRun: "body" }
const errors = [...Problem.ofAction, ...Problem.ofBody] as const

const IN_PATH = "If sent, the cluster header must name the cluster of the path."

export class WorkloadGroup extends HttpApiGroup.make("workload")
  .add(
    HttpApiEndpoint.get("get", PATH, {
      params: workloadPath,
      headers: targetHeader,
      success: WorkloadReply,
      error: Problem.ofFanOut
    })
      .annotate(EndpointPolicy, { resource: "workloads", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Get a workload",
          description: `Reads the workload from its cluster, never from the cache: its row, rollout, conditions, containers and pods. The reply never contains annotations, environment variables, commands or volumes. ${IN_PATH}`
        })
      ),
    HttpApiEndpoint.post("scale", `${PATH}/scale`, {
      params: workloadPath,
      headers: targetHeader,
      payload: ScaleRequest,
      success: ActionResult,
      error: errors
    })
      .annotate(EndpointPolicy, policy)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Scale a workload",
          description: `Scales a Deployment, a StatefulSet or a ReplicaSet without an owner. ${IN_PATH}`
        })
      ),
    HttpApiEndpoint.post("restart", `${PATH}/restart`, {
      params: workloadPath,
      headers: targetHeader,
      payload: ActionRequest,
      success: ActionResult,
      error: errors
    })
      .annotate(EndpointPolicy, policy)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Restart a workload",
          description: `Replaces the pods of a Deployment, StatefulSet or DaemonSet by a rollout, as \`kubectl rollout restart\` does. ${IN_PATH}`
        })
      ),
    HttpApiEndpoint.post("pause", `${PATH}/pause`, {
      params: workloadPath,
      headers: targetHeader,
      payload: ActionRequest,
      success: ActionResult,
      error: errors
    })
      .annotate(EndpointPolicy, policy)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Pause a rollout",
          description: `Pauses the rollout of a Deployment, or the schedule of a CronJob (\`suspend\`). ${IN_PATH}`
        })
      ),
    HttpApiEndpoint.post("resume", `${PATH}/resume`, {
      params: workloadPath,
      headers: targetHeader,
      payload: ActionRequest,
      success: ActionResult,
      error: errors
    })
      .annotate(EndpointPolicy, policy)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Resume a rollout",
          description: `Resumes the rollout of a Deployment, or the schedule of a CronJob. ${IN_PATH}`
        })
      )
  )
  .annotate(OpenApi.Description, "One workload of one cluster.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
