/**
 * One workload of one cluster: looked at, and changed by what an Operator may do.
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

/** The most replicas that a workload may be given. */
export const MAX_REPLICAS = 10_000

/** How many pods a workload shall have. */
export const Replicas = Schema.Int.check(
  Schema.isBetween({ minimum: 0, maximum: MAX_REPLICAS }, { expected: `a whole number from 0 to ${MAX_REPLICAS}` })
).annotate({ description: "How many pods it shall have." })

/** Whether nothing is changed. */
export const dryRun = {
  dryRun: Schema.optionalKey(Schema.Boolean).annotateKey({
    description: "Whether nothing is changed: the cluster judges it as ever, and the reply tells what would be.",
    default: false
  })
}

const version = {
  resourceVersion: Schema.optionalKey(
    Schema.NonEmptyString.check(Schema.isMaxLength(128, { expected: "at most 128 characters" }))
  ).annotateKey({
    description: "The version that is to be changed, as it was read: any other is 409 `workload_changed`."
  })
}

/** How to do an action, and to which version; nothing of it is needed. */
export const ActionRequest = Schema.Struct({ ...dryRun, ...version }).annotate({ identifier: "ActionRequest" })
export type ActionRequest = typeof ActionRequest.Type

export const ScaleRequest = Schema.Struct({
  replicas: Replicas,
  ...dryRun,
  ...version
}).annotate({ identifier: "ScaleRequest" })
export type ScaleRequest = typeof ScaleRequest.Type

/** What an action is about, and nothing else; `restartedAt` is absent of a workload that nobody restarted. */
const ActionState = Schema.Struct({
  replicas: Schema.optionalKey(Schema.Natural),
  isPaused: Schema.optionalKey(Schema.Boolean),
  restartedAt: Schema.optionalKey(Schema.String.check(documents({ format: "date-time" })))
}).annotate({ identifier: "ActionState" })

/** What became of an action. */
export const ActionResult = Schema.Struct({
  cluster: ClusterName,
  namespace: Schema.String,
  kind: Schema.String,
  name: Schema.String,
  status: Schema.Literals(["applied", "dryRun"]),
  resourceVersion: Schema.String.annotateKey({
    description: "Of the workload after it; of a dry run, the present one."
  }),
  before: ActionState,
  after: ActionState
}).annotate({ identifier: "ActionResult" })
export type ActionResult = typeof ActionResult.Type

/**
 * A workload and its pods.
 *
 * **Shape** at most 500 pods, those first that are not ready; `podCount` says how many there are.
 */
export const WorkloadReply = Schema.Struct({
  workload: WorkloadDetail,
  pods: Schema.Array(PodRow),
  podCount: Schema.Natural.annotateKey({ description: "How many pods it has: `pods` holds 500 at most." }),
  clusters: Schema.Array(Coverage),
  partial: Schema.Boolean
}).annotate({ identifier: "WorkloadReply" })
export type WorkloadReply = typeof WorkloadReply.Type

/** What names a workload in a path. */
export const workloadPath = {
  cluster: ClusterName.annotateKey({ description: "The cluster's name." }),
  namespace: NamespaceName.annotateKey({ description: "The namespace's name." }),
  kind: Kind.annotateKey({ description: "The kind, such as Deployment." }),
  name: ObjectName.annotateKey({ description: "The workload's name." })
}

const PATH = "/workloads/:cluster/:namespace/:kind/:name"

const policy: Policy = { resource: "workloads", verb: "operate", canDryRun: "body" }
const errors = [...Problem.ofAction, ...Problem.ofBody] as const

const IN_PATH = "The path names the cluster; a cluster header that names anything else is refused."

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
          summary: "Look at a workload",
          description: `As its cluster has it now, never from the cache: its row, rollout, conditions, containers and pods. Annotations, environment, commands and volumes are never shown. ${IN_PATH}`
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
          description: `Deployments, StatefulSets and ReplicaSets without an owner. ${IN_PATH}`
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
          description: `Deployments, StatefulSets and DaemonSets: their pods are replaced by a rollout, as \`kubectl rollout restart\` does it. ${IN_PATH}`
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
          description: `The rollout of a Deployment; of a CronJob, the schedule (\`suspend\`). ${IN_PATH}`
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
          description: `The rollout of a Deployment; of a CronJob, the schedule. ${IN_PATH}`
        })
      )
  )
  .annotate(OpenApi.Description, "One workload of one cluster.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
