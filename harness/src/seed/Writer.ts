/**
 * Writes a planned cluster through its API, in the order in which owners need to exist.
 *
 * @since 0.1.0
 */
import { Effect, Schema } from "effect"
import { ApiError, ApiUnexpected } from "../ApiError.ts"
import type { ClusterApi } from "../ClusterApi.ts"
import { type KubeObject, type OwnerReference, refOf } from "../KubeObject.ts"
import type { ClusterPlan, NodePlan, PodPlan, WorkloadPlan } from "./ClusterPlan.ts"
import * as NodeManifests from "./NodeManifests.ts"
import * as PodManifests from "./PodManifests.ts"
import * as WorkloadManifests from "./WorkloadManifests.ts"

/** Where to write, and the instant that every status claims. */
interface Destination {
  readonly cluster: string
  readonly api: ClusterApi
  readonly now: string
}

/** How a pod is tied to what owns it. */
interface Ownership {
  readonly references: ReadonlyArray<OwnerReference>
  readonly labels: Readonly<Record<string, string>>
}

const VERSION_PATH = "/version"
const Version = Schema.fromJsonString(Schema.Struct({ gitVersion: Schema.String }))
const Generation = Schema.Struct({ generation: Schema.Int })
const Tainted = Schema.Struct({ taints: Schema.NonEmptyArray(Schema.Unknown) })

const decodeVersion = Schema.decodeUnknownEffect(Version)
const decodeGeneration = Schema.decodeUnknownEffect(Generation)
const isTainted = Schema.is(Tainted)

const FREE: Ownership = { references: [], labels: {} }

/**
 * Writes everything that the plan holds.
 *
 * **Limits** as many calls at once as the client has connections; each object is created, then given its status.
 */
export const write = Effect.fnUntraced(function* (
  plan: ClusterPlan,
  to: Destination
): Effect.fn.Return<void, ApiError> {
  yield* each(plan.namespaces, (namespace) => to.api.create(NodeManifests.namespace(namespace)))
  const { text } = yield* to.api.request({ method: "GET", path: VERSION_PATH })
  const { gitVersion } = yield* decodeVersion(text).pipe(
    Effect.mapError((cause) => unexpected(to, VERSION_PATH, cause.message))
  )
  yield* Effect.all(
    [
      each(plan.nodes, (node) => writeNode(node, plan, gitVersion, to)),
      each(plan.workloads, (workload) => writeWorkload(workload, to))
    ],
    { concurrency: "unbounded", discard: true }
  )
})

const writeNode = Effect.fnUntraced(function* (node: NodePlan, plan: ClusterPlan, version: string, to: Destination) {
  const created = yield* to.api.create(NodeManifests.node(node, plan.cloud))
  yield* report(created, NodeManifests.nodeStatus(node, version, to.now), to)
  // The server taints a new node until it is ready, and the controller that would lift the taint does not run.
  if (isTainted(created["spec"])) yield* to.api.patch(refOf(created), { spec: { taints: null } })
})

const writeWorkload = Effect.fnUntraced(function* (plan: WorkloadPlan, to: Destination) {
  const { kind } = plan.template
  if (kind === "Pod") return yield* each(plan.pods, (pod) => writePod(plan, pod, FREE, to))

  const created = yield* to.api.create(WorkloadManifests.workload(plan))
  const generation = yield* generationOf(created, to)
  const owned = { references: [yield* ownerOf(created, to)], labels: {} }
  const status = (of: object) => report(created, of, to)
  const pods = each(plan.pods, (pod) => writePod(plan, pod, owned, to))
  switch (kind) {
    case "Deployment":
      return yield* together(
        status(WorkloadManifests.deploymentStatus(plan, generation, to.now)),
        writeReplicaSet(plan, "current", owned, to),
        plan.state === "progressing" ? writeReplicaSet(plan, "previous", owned, to) : Effect.void
      )
    case "ReplicaSet":
      return yield* together(status(WorkloadManifests.replicaSetStatus(plan.pods, generation)), pods)
    case "StatefulSet":
      return yield* together(status(WorkloadManifests.statefulSetStatus(plan, generation)), pods)
    case "DaemonSet":
      return yield* together(status(WorkloadManifests.daemonSetStatus(plan, generation)), pods)
    case "Job":
      return yield* together(status(WorkloadManifests.jobStatus(plan, to.now)), pods)
    case "CronJob":
      return yield* plan.state === "suspended"
        ? Effect.void
        : together(status(WorkloadManifests.cronJobStatus(to.now)), writeLastJob(plan, owned, to))
  }
})

const writeReplicaSet = Effect.fnUntraced(function* (
  plan: WorkloadPlan,
  revision: PodPlan["revision"],
  owner: Ownership,
  to: Destination
) {
  const planned = WorkloadManifests.replicaSet(plan, revision)
  const created = yield* to.api.create(withOwner(planned, owner))
  const pods = WorkloadManifests.podsOf(plan, revision)
  const owned = { references: [yield* ownerOf(created, to)], labels: WorkloadManifests.hashLabel(plan, revision) }
  yield* together(
    report(created, WorkloadManifests.replicaSetStatus(pods, yield* generationOf(created, to)), to),
    each(pods, (pod) => writePod(plan, pod, owned, to))
  )
})

const writeLastJob = Effect.fnUntraced(function* (plan: WorkloadPlan, owner: Ownership, to: Destination) {
  const created = yield* to.api.create(withOwner(WorkloadManifests.lastJob(plan), owner))
  const owned = { references: [yield* ownerOf(created, to)], labels: {} }
  yield* together(
    report(created, WorkloadManifests.jobStatus(plan, to.now), to),
    each(plan.pods, (pod) => writePod(plan, pod, owned, to))
  )
})

const writePod = Effect.fnUntraced(function* (plan: WorkloadPlan, planned: PodPlan, owner: Ownership, to: Destination) {
  const created = yield* to.api.create(withOwner(PodManifests.pod(plan, planned), owner))
  yield* report(created, PodManifests.podStatus(plan, planned, to.now), to)
})

const withOwner = (object: KubeObject, { references, labels }: Ownership): KubeObject =>
  references.length === 0
    ? object
    : {
        ...object,
        metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels }, ownerReferences: references }
      }

const report = (object: KubeObject, status: object, to: Destination): Effect.Effect<KubeObject, ApiError> =>
  to.api.patch(refOf(object), { status }, { subresource: "status" })

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

/** Everything at once: the client's connections are the bound. */
const each = <A, B>(
  items: ReadonlyArray<A>,
  one: (item: A) => Effect.Effect<B, ApiError>
): Effect.Effect<void, ApiError> => Effect.forEach(items, one, { concurrency: "unbounded", discard: true })

const together = (...effects: ReadonlyArray<Effect.Effect<unknown, ApiError>>): Effect.Effect<void, ApiError> =>
  Effect.all(effects, { concurrency: "unbounded", discard: true })
