/**
 * Rows of merged answers: clusters, namespaces, workloads, pods, events.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"
import { Coverage } from "../kube/Coverage.ts"

/** An instant in RFC 3339, in UTC. */
const Timestamp = Schema.String.annotate({ format: "date-time" })

export const Labels = Schema.Record(Schema.String, Schema.String)

/** Labels in a reply: at most 64, with at most 8 KiB in total. `labelsTruncated` is true if labels were left out. */
const shownLabels = { labels: Labels, labelsTruncated: Schema.optionalKey(Schema.Boolean) }

/** Status of a workload, as docs/reference describes it. `completed` and `failed` apply to Jobs and bare pods. */
export const WorkloadStatus = Schema.Literals([
  "healthy",
  "progressing",
  "degraded",
  "paused",
  "idle",
  "completed",
  "failed"
])
export type WorkloadStatus = typeof WorkloadStatus.Type

/** Number of workloads of each status. */
export const StatusCounts = Schema.Struct({
  failed: Schema.Natural,
  degraded: Schema.Natural,
  progressing: Schema.Natural,
  paused: Schema.Natural,
  healthy: Schema.Natural,
  completed: Schema.Natural,
  idle: Schema.Natural
}).annotate({ identifier: "StatusCounts" }) satisfies Schema.Codec<Readonly<Record<WorkloadStatus, number>>>
export type StatusCounts = typeof StatusCounts.Type

/**
 * One workload of one cluster.
 *
 * **Shape** a failed or degraded workload has a `reason`: a word of its pods such as `CrashLoopBackOff`, or of its
 * controller such as `ProgressDeadlineExceeded`. A workload whose pods need intervention is degraded, even while its
 * controller reports enough available replicas. A paused workload keeps its status and shows the reason. `since` is the
 * time at which the cluster first reported the reason; absent if the cluster does not report it.
 *
 * **Units** CPU in thousandths of a core, memory in bytes, both for the whole workload (pod template times desired
 * replicas); `createdAt` RFC 3339 UTC.
 */
export const WorkloadRow = Schema.Struct({
  /** The object's UID. */
  id: Schema.String,
  cluster: ClusterName,
  namespace: Schema.String,
  kind: Schema.String,
  name: Schema.String,
  ...shownLabels,
  images: Schema.Array(Schema.String),
  replicas: Schema.Struct({
    desired: Schema.Natural,
    ready: Schema.Natural,
    updated: Schema.Natural,
    available: Schema.Natural
  }),
  status: WorkloadStatus,
  reason: Schema.optionalKey(Schema.String).annotateKey({
    description:
      "Why the workload is failed or degraded: a word of its pods, such as `CrashLoopBackOff`, or of its controller, such as `ProgressDeadlineExceeded`."
  }),
  since: Schema.optionalKey(Timestamp).annotateKey({
    description: "Time at which the problem in `reason` began, if the cluster reports it."
  }),
  cpuRequestMillis: Schema.Natural,
  memoryRequestBytes: Schema.Natural,
  cpuLimitMillis: Schema.Natural,
  memoryLimitBytes: Schema.Natural,
  createdAt: Timestamp
}).annotate({ identifier: "Workload" })
export type WorkloadRow = typeof WorkloadRow.Type

/** Reason for which a container does not run. **Limits** the service masks the message and cuts it to 1 KiB. */
export const Waiting = Schema.Struct({ reason: Schema.String, message: Schema.String }).annotate({
  identifier: "Waiting"
})
export type Waiting = typeof Waiting.Type

/**
 * End of a container's last run.
 *
 * **Shape** `message` may be log text, so only Operators and Admins receive it. **Limits** the service masks
 * the message and cuts it to 1 KiB.
 */
export const Termination = Schema.Struct({
  reason: Schema.String,
  exitCode: Schema.Int,
  signal: Schema.optionalKey(Schema.Int),
  finishedAt: Timestamp,
  message: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "Termination" })
export type Termination = typeof Termination.Type

/**
 * One pod of one cluster.
 *
 * **Shape** `owner` is the workload that the pod belongs to, null for a bare pod. `status` and `readyContainers` equal
 * the columns of `kubectl get pods`. `node` is null until the pod is bound. A finished pod requests nothing. `waiting`
 * and `lastTermination` describe the container in the worst state.
 *
 * **Units** CPU in thousandths of a core, memory in bytes; a limit of 0 means no limit; instants RFC 3339 UTC.
 */
export const PodRow = Schema.Struct({
  id: Schema.String,
  cluster: ClusterName,
  namespace: Schema.String,
  name: Schema.String,
  ...shownLabels,
  owner: Schema.NullOr(Schema.Struct({ kind: Schema.String, name: Schema.String })),
  phase: Schema.String,
  status: Schema.String,
  readyContainers: Schema.Natural,
  containers: Schema.Natural,
  restarts: Schema.Natural,
  lastRestartAt: Schema.optionalKey(Timestamp),
  waiting: Schema.optionalKey(Waiting),
  lastTermination: Schema.optionalKey(Termination),
  node: Schema.NullOr(Schema.String),
  images: Schema.Array(Schema.String),
  cpuRequestMillis: Schema.Natural,
  memoryRequestBytes: Schema.Natural,
  cpuLimitMillis: Schema.Natural,
  memoryLimitBytes: Schema.Natural,
  startedAt: Schema.optionalKey(Timestamp),
  createdAt: Timestamp
}).annotate({ identifier: "Pod" })
export type PodRow = typeof PodRow.Type

/**
 * One workload as its cluster currently has it.
 *
 * **Shape** `resourceVersion` and `selector` are null for a custom kind, which is known only by its pods. `selector` is
 * also null for kinds without one (CronJob, Pod); it uses the syntax of `labelSelector`. Deployments and StatefulSets
 * have a `rollout.revision`. `isPaused` is also true for a suspended CronJob or Job. `containers` are the main
 * containers and sidecars; `restarts` is the sum over all pods.
 *
 * **Units** requests and limits of a container are for one replica; a limit of 0 means no limit.
 */
export const WorkloadDetail = Schema.Struct({
  ...WorkloadRow.fields,
  resourceVersion: Schema.NullOr(Schema.String),
  selector: Schema.NullOr(Schema.String),
  conditions: Schema.Array(
    Schema.Struct({
      type: Schema.String,
      status: Schema.String,
      reason: Schema.optionalKey(Schema.String),
      message: Schema.optionalKey(Schema.String),
      lastTransitionAt: Schema.optionalKey(Timestamp)
    })
  ),
  rollout: Schema.Struct({
    revision: Schema.NullOr(Schema.String),
    isPaused: Schema.Boolean,
    strategy: Schema.NullOr(Schema.String),
    progressDeadlineSeconds: Schema.optionalKey(Schema.Natural)
  }),
  containers: Schema.Array(
    Schema.Struct({
      name: Schema.String,
      image: Schema.String,
      cpuRequestMillis: Schema.Natural,
      memoryRequestBytes: Schema.Natural,
      cpuLimitMillis: Schema.Natural,
      memoryLimitBytes: Schema.Natural,
      ports: Schema.Array(
        Schema.Struct({ name: Schema.optionalKey(Schema.String), port: Schema.Natural, protocol: Schema.String })
      ),
      restarts: Schema.Natural
    })
  )
}).annotate({ identifier: "WorkloadDetail" })
export type WorkloadDetail = typeof WorkloadDetail.Type

/**
 * One event of one cluster.
 *
 * **Shape** `namespace` is that of the object, null for a cluster-scoped object. `regarding.id` is absent if the
 * reporter did not know it. `count` is the number of occurrences. Instants RFC 3339 UTC with milliseconds.
 */
export const EventRow = Schema.Struct({
  /** The event's own UID. */
  id: Schema.String,
  cluster: ClusterName,
  namespace: Schema.NullOr(Schema.String),
  regarding: Schema.Struct({ kind: Schema.String, name: Schema.String, id: Schema.optionalKey(Schema.String) }),
  type: Schema.String,
  reason: Schema.String,
  message: Schema.String,
  count: Schema.Natural,
  firstSeenAt: Timestamp,
  lastSeenAt: Timestamp,
  reportedBy: Schema.String
}).annotate({ identifier: "Event" })
export type EventRow = typeof EventRow.Type

/** One namespace of one cluster. */
export const NamespaceRow = Schema.Struct({
  id: Schema.String,
  cluster: ClusterName,
  name: Schema.String,
  ...shownLabels,
  phase: Schema.String,
  createdAt: Timestamp
}).annotate({ identifier: "Namespace" })
export type NamespaceRow = typeof NamespaceRow.Type

/**
 * One cluster with its health, never its address.
 *
 * **Shape** nodes, capacity and requests are null for a namespace-scoped key and while unknown. `pods` counts those in
 * scope, including finished pods, which request nothing. `reachable` describes the API server, and
 * `unhealthyWorkloads` what runs in the cluster: a cluster is healthy if it is reachable and has none.
 */
export const ClusterRow = Schema.Struct({
  name: ClusterName,
  role: Schema.Literals(["parent", "child"]),
  version: Schema.NullOr(Schema.String),
  reachable: Schema.Boolean,
  lastSeen: Schema.NullOr(Timestamp),
  errorCode: Schema.optionalKey(Schema.String),
  nodes: Schema.NullOr(Schema.Natural),
  pods: Schema.NullOr(Schema.Natural),
  unhealthyWorkloads: Schema.NullOr(Schema.Natural).annotateKey({
    description:
      "Failed and degraded workloads in the key's scope. Null while unknown, in live reads, and if a kind of workload cannot be read."
  }),
  cpuAllocatableMillis: Schema.NullOr(Schema.Natural),
  memoryAllocatableBytes: Schema.NullOr(Schema.Natural),
  cpuRequestMillis: Schema.NullOr(Schema.Natural),
  memoryRequestBytes: Schema.NullOr(Schema.Natural),
  ...shownLabels,
  sameCluster: Schema.optionalKey(Schema.Array(ClusterName)).annotateKey({
    description:
      "Other registered names of this same cluster (one uid of `kube-system`) within the key's scope. A read of several of them counts the cluster once for each."
  }),
  coverage: Coverage
}).annotate({ identifier: "Cluster" })
export type ClusterRow = typeof ClusterRow.Type
