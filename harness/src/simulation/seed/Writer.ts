/** Writes a planned cluster through its API, owners first. */
import { Effect, Schema } from "effect"
import { ApiError, ApiUnexpected } from "../../client/ApiError.ts"
import type { KubeObject, OwnerReference } from "../../client/KubeObject.ts"
import type { ClusterPlan, PodPlan, WorkloadPlan } from "./ClusterPlan.ts"
import type { NodePlan } from "./NodePlan.ts"
import type { Destination } from "./Destination.ts"
import * as NodeManifests from "./NodeManifests.ts"
import * as PodManifests from "./PodManifests.ts"
import * as ServiceManifests from "./ServiceManifests.ts"
import * as StorageManifests from "./StorageManifests.ts"
import * as WorkloadManifests from "./WorkloadManifests.ts"

/**
 * Component that reports the pods' status.
 *
 * `reported`: the seed itself, for clusters without controllers and kubelets. `bound`: kubelets; the seed binds the
 * pods to nodes. `none`: the seed writes no pods and no ReplicaSets, because controllers create them.
 */
export type PodMode = "reported" | "bound" | "none"

/** A plan and its destination. */
interface Writing {
  readonly plan: ClusterPlan
  readonly to: Destination
  readonly pods: PodMode
}

/** A pod's owner references, and the labels that the owner selects by. */
interface Ownership {
  readonly references: ReadonlyArray<OwnerReference>
  readonly labels: Readonly<Record<string, string>>
}

const VERSION_PATH = "/version"
const STORAGE_PATH = "/apis/storage.k8s.io/v1"
const Version = Schema.fromJsonString(Schema.Struct({ gitVersion: Schema.String }))
const Generation = Schema.Struct({ generation: Schema.Int })
const Tainted = Schema.Struct({ taints: Schema.NonEmptyArray(Schema.Unknown) })

const decodeVersion = Schema.decodeUnknownEffect(Version)
const decodeGeneration = Schema.decodeUnknownEffect(Generation)
const isTainted = Schema.is(Tainted)

const NO_OWNER: Ownership = { references: [], labels: {} }
/**
 * Number of pods of one owner that are written in parallel. Equal to the destination's default number of parallel calls.
 */
const PODS_AT_ONCE = 16
/**
 * Number of namespaces, nodes or workloads that are written in parallel. A few keep all calls busy, because each workload
 * writes many pods. More would only use memory.
 */
const OWNERS_AT_ONCE = 4

/** Returns the number of objects in a plan. */
export const countOf = ({ namespaces, nodes, workloads }: ClusterPlan, pods: PodMode): number => {
  const perWorkload = workloads.map((plan) => {
    const volumes = plan.template.volumeGib === undefined ? 0 : 2 * plan.pods.length
    const service = ServiceManifests.service(plan) === undefined ? 0 : 1
    const workloadObject = plan.template.kind === "Pod" ? 0 : 1
    if (pods === "none") return service + volumes + (plan.template.kind === "Pod" ? plan.pods.length : workloadObject)
    const sets = plan.template.kind === "Deployment" ? (plan.state === "progressing" ? 2 : 1) : 0
    const jobs = plan.template.kind === "CronJob" && plan.state !== "suspended" ? 1 : 0
    return workloadObject + sets + jobs + service + volumes + plan.pods.length
  })
  return namespaces.length + nodes.length + perWorkload.reduce((sum, count) => sum + count, 0)
}

/**
 * Writes every object of the plan.
 *
 * **Limits** as many parallel calls as the destination allows. Each object is created, then its status is reported.
 */
export const write = Effect.fnUntraced(function* (
  plan: ClusterPlan,
  to: Destination,
  pods: PodMode
): Effect.fn.Return<void, ApiError> {
  const writing: Writing = { plan, to, pods }
  yield* each(plan.namespaces, (namespace) => to.create(NodeManifests.namespace(namespace)))
  const { text } = yield* to.api.request({ method: "GET", path: VERSION_PATH })
  const { gitVersion } = yield* decodeVersion(text).pipe(
    Effect.mapError((cause) => unexpected(to, VERSION_PATH, cause.message))
  )
  const open = plan.workloads.filter(({ template }) => template.isPublic === true)
  yield* together(
    writeStorageClass(writing),
    each(plan.nodes, (node) => writeNode(node, gitVersion, writing)),
    each(plan.workloads, (workload) => writeWorkload(workload, writing)),
    each(plan.workloads, (workload) => writeService(workload, open.indexOf(workload), writing))
  )
})

/** Writes the storage class, if the server has the storage API group. {@link countOf} does not count it. */
const writeStorageClass = Effect.fnUntraced(function* ({ plan, to }: Writing) {
  const { status } = yield* to.api.request({ method: "GET", path: STORAGE_PATH })
  if (status === 200) yield* to.api.apply(StorageManifests.storageClass(plan.cloud))
})

const writeNode = Effect.fnUntraced(function* (node: NodePlan, version: string, { plan, pods, to }: Writing) {
  const created = yield* to.create(NodeManifests.node(node, plan.cloud))
  if (pods !== "reported") return yield* to.report(created, NodeManifests.hardwareStatus(node))
  yield* to.report(created, NodeManifests.nodeStatus(node, version, to.now))
  // The server taints a new node until it is ready, and the controller that would remove the taint is not running.
  if (isTainted(created["spec"])) yield* to.amend(created, { spec: { taints: null } })
})

const writeService = Effect.fnUntraced(function* (plan: WorkloadPlan, at: number, writing: Writing) {
  const service = ServiceManifests.service(plan)
  if (service === undefined) return
  const created = yield* writing.to.create(service)
  if (at < 0) return
  yield* writing.to.report(created, ServiceManifests.loadBalancerStatus(plan, writing.plan.cloud, at))
})

const writeWorkload = Effect.fnUntraced(function* (plan: WorkloadPlan, writing: Writing) {
  const { to } = writing
  const { kind } = plan.template
  if (kind === "Pod") return yield* eachPod(plan.pods, (pod) => writePod(plan, pod, NO_OWNER, writing))

  if (writing.pods === "none") {
    // The claims are written before the workload; otherwise its controller would create claims, and there is no
    // provisioner for those. Each replica uses the existing claim of its name.
    yield* eachPod(plan.pods, (pod) => writeVolume(plan, pod, writing))
  }
  const created = yield* to.create(
    WorkloadManifests.workload(plan, writing.plan.cloud.storage.className, writing.pods === "none")
  )
  if (writing.pods === "none") return
  const generation = yield* generationOf(created, to)
  const ownership = { references: [yield* ownerOf(created, to)], labels: {} }
  const status = (of: object) => to.report(created, of)
  const pods = eachPod(plan.pods, (pod) => writePod(plan, pod, ownership, writing))
  switch (kind) {
    case "Deployment":
      return yield* together(
        status(WorkloadManifests.deploymentStatus(plan, generation, to.now)),
        writeReplicaSet(plan, "current", ownership, writing),
        plan.state === "progressing" ? writeReplicaSet(plan, "previous", ownership, writing) : Effect.void
      )
    case "ReplicaSet":
      return yield* together(status(WorkloadManifests.replicaSetStatus(plan.pods, generation)), pods)
    case "StatefulSet":
      return yield* together(status(WorkloadManifests.statefulSetStatus(plan, generation)), pods)
    case "DaemonSet":
      return yield* together(status(WorkloadManifests.daemonSetStatus(plan, generation)), pods)
    case "Job":
      return yield* writeJobPods(plan, created, writing)
    case "CronJob":
      return yield* plan.state === "suspended"
        ? Effect.void
        : together(status(WorkloadManifests.cronJobStatus(to.now)), writeLastJob(plan, ownership, writing))
  }
})

const writeReplicaSet = Effect.fnUntraced(function* (
  plan: WorkloadPlan,
  revision: PodPlan["revision"],
  owner: Ownership,
  writing: Writing
) {
  const { to } = writing
  const planned = WorkloadManifests.replicaSet(plan, revision)
  const created = yield* to.create(withOwner(planned, owner))
  const pods = WorkloadManifests.podsOf(plan, revision)
  const ownership = { references: [yield* ownerOf(created, to)], labels: WorkloadManifests.hashLabel(plan, revision) }
  yield* together(
    to.report(created, WorkloadManifests.replicaSetStatus(pods, yield* generationOf(created, to))),
    eachPod(pods, (pod) => writePod(plan, pod, ownership, writing))
  )
})

const writeLastJob = Effect.fnUntraced(function* (plan: WorkloadPlan, owner: Ownership, writing: Writing) {
  const { to } = writing
  yield* writeJobPods(plan, yield* to.create(withOwner(WorkloadManifests.lastJob(plan), owner)), writing)
})

const writeJobPods = Effect.fnUntraced(function* (plan: WorkloadPlan, job: KubeObject, writing: Writing) {
  const { to } = writing
  const owner = yield* ownerOf(job, to)
  const ownership = { references: [owner], labels: WorkloadManifests.jobLabels(owner) }
  yield* together(
    to.report(job, WorkloadManifests.jobStatus(plan, to.now)),
    eachPod(plan.pods, (pod) => writePod(plan, pod, ownership, writing))
  )
})

const writePod = Effect.fnUntraced(function* (
  plan: WorkloadPlan,
  planned: PodPlan,
  owner: Ownership,
  writing: Writing
) {
  const { pods, to } = writing
  const collection = `/api/v1/namespaces/${plan.namespace}/pods`
  const pod = withOwner(PodManifests.pod(plan, planned), owner)
  yield* writeVolume(plan, planned, writing)
  yield* to.put(pod, collection)
  if (pods === "reported") yield* to.reportAt(pod, collection, PodManifests.podStatus(plan, planned, to.now))
})

/** Writes a claim and its volume, bound to each other, if the workload has volumes. */
const writeVolume = Effect.fnUntraced(function* (plan: WorkloadPlan, pod: PodPlan, writing: Writing) {
  const gib = plan.template.volumeGib
  if (gib === undefined) return
  const { cloud } = writing.plan
  const { to } = writing
  const claim = yield* to.create(StorageManifests.claim(plan, pod, cloud, gib))
  const volume = yield* to.create(StorageManifests.volume(plan, pod, cloud, { gib, claimUid: claim.metadata.uid }))
  yield* to.report(volume, StorageManifests.volumeStatus)
  yield* to.report(claim, StorageManifests.claimStatus(gib))
})

const withOwner = (object: KubeObject, { references, labels }: Ownership): KubeObject =>
  references.length === 0
    ? object
    : {
        ...object,
        metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels }, ownerReferences: references }
      }

const generationOf = (object: KubeObject, to: Destination): Effect.Effect<number, ApiError> =>
  decodeGeneration(object.metadata).pipe(
    Effect.map(({ generation }) => generation),
    Effect.mapError((cause) => unexpected(to, object.kind, cause.message))
  )

const ownerOf = (object: KubeObject, to: Destination): Effect.Effect<OwnerReference, ApiError> => {
  const { name, uid } = object.metadata
  if (name === undefined || uid === undefined) return Effect.fail(unexpected(to, object.kind, "the object has no uid"))
  return Effect.succeed({
    apiVersion: object.apiVersion,
    kind: object.kind,
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true
  })
}

const unexpected = (to: Destination, path: string, problem: string): ApiError =>
  new ApiError({ cluster: to.cluster, method: "GET", path, reason: new ApiUnexpected({ problem }) })

const each = <A, B>(
  items: ReadonlyArray<A>,
  writeItem: (item: A) => Effect.Effect<B, ApiError>,
  concurrency = OWNERS_AT_ONCE
): Effect.Effect<void, ApiError> => Effect.forEach(items, writeItem, { concurrency, discard: true })

const eachPod = (
  pods: ReadonlyArray<PodPlan>,
  writeItem: (pod: PodPlan) => Effect.Effect<void, ApiError>
): Effect.Effect<void, ApiError> => each(pods, writeItem, PODS_AT_ONCE)

const together = (...effects: ReadonlyArray<Effect.Effect<unknown, ApiError>>): Effect.Effect<void, ApiError> =>
  Effect.all(effects, { concurrency: "unbounded", discard: true })
