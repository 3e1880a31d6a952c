/**
 * Projects objects of a cluster to the few fields that answers need. The objects themselves are dropped.
 *
 * Pure and independent of the cache, so that projection can run next to the parser, in another thread.
 */
import * as Accelerators from "./Accelerators.ts"
import * as EventProjection from "./EventProjection.ts"
import { type Fields, fields, isConditionTrue, text } from "./Field.ts"
import * as Kind from "./Kind.ts"
import type { KubeObject, WatchEvent } from "../kube/KubeObject.ts"
import type { Place } from "./Place.ts"
import * as PodProjection from "./PodProjection.ts"
import * as PodResources from "./PodResources.ts"
import type { NamespaceRow } from "./Row.ts"
import * as RowLimit from "./RowLimit.ts"
import * as WorkloadProjection from "./WorkloadProjection.ts"

/** A cached namespace. **Shape** `resourceVersion` orders two versions of one object. */
export interface NamespaceRecord extends NamespaceRow {
  readonly uid: string
  readonly resourceVersion: string
}

/** A cached node. **Units** thousandths of a core, bytes, GPUs. */
export interface NodeRecord {
  readonly uid: string
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly createdAt: string
  readonly providerId: string
  readonly ready: boolean
  readonly unschedulable: boolean
  readonly cpuAllocatableMillis: number
  readonly memoryAllocatableBytes: number
  /** Total capacity, including the share reserved for the system. */
  readonly cpuCapacityMillis: number
  readonly memoryCapacityBytes: number
  readonly gpus: number
  /** MIG slices, time-shared GPUs and configured accelerators, by resource name. */
  readonly gpuParts?: Readonly<Record<string, number>>
  /** Names of resources that are accelerators without a price. */
  readonly unchargedAccelerators?: ReadonlyArray<string>
}

/** The record type of each followed kind. */
export interface RecordOf {
  readonly Namespace: NamespaceRecord
  readonly Node: NodeRecord
  readonly Pod: PodProjection.PodRecord
  readonly Deployment: WorkloadProjection.WorkloadRecord
  readonly StatefulSet: WorkloadProjection.WorkloadRecord
  readonly DaemonSet: WorkloadProjection.WorkloadRecord
  readonly ReplicaSet: WorkloadProjection.WorkloadRecord
  readonly Job: WorkloadProjection.WorkloadRecord
  readonly CronJob: WorkloadProjection.WorkloadRecord
  readonly Event: EventProjection.EventRecord
}

/** A projected watch event: plain data that can be passed to another thread. */
export type Change<Record> =
  | { readonly _tag: "Put"; readonly record: Record }
  | { readonly _tag: "Delete"; readonly uid: string }
  | { readonly _tag: "Synced" }
  | { readonly _tag: "Bookmark" }
  | { readonly _tag: "Restart" }
  | { readonly _tag: "Resumed" }

type Project<K extends Kind.Kind> = (object: KubeObject, place: Place) => RecordOf[K]

/**
 * Projects one object.
 *
 * **Shape** a field of the wrong type counts as absent. API servers validate what they store, so there should be none.
 *
 * **Limits** pure; some microseconds for a pod.
 */
export const project = <K extends Kind.Kind>(kind: K, object: KubeObject, place: Place): RecordOf[K] => {
  const projection: Project<K> = projections[kind]
  return projection(object, place)
}

/** Projects a watch event. */
export const change = <K extends Kind.Kind>(kind: K, event: WatchEvent, place: Place): Change<RecordOf[K]> => {
  switch (event._tag) {
    case "Put":
      return { _tag: "Put", record: project(kind, event.object, place) }
    case "Delete":
      return { _tag: "Delete", uid: event.object.metadata.uid }
    case "Synced":
    case "Bookmark":
    case "Restart":
    case "Resumed":
      return { _tag: event._tag }
  }
}

const namespaceRecord = ({ metadata, status }: KubeObject, { cluster, interner }: Place): NamespaceRecord => ({
  uid: metadata.uid,
  id: metadata.uid,
  cluster,
  name: metadata.name,
  labels: interner.labels(metadata.labels ?? {}),
  phase: RowLimit.word(text(fields(status)["phase"]) ?? "Active"),
  createdAt: metadata.creationTimestamp ?? PodProjection.UNKNOWN_TIME,
  resourceVersion: metadata.resourceVersion
})

const nodeRecord = ({ metadata, spec, status }: KubeObject, { accelerators, interner }: Place): NodeRecord => {
  const specification = fields(spec)
  const state: Fields = fields(status)
  const allocatable = PodResources.ofNode(fields(state["allocatable"]))
  // Old and virtual kubelets report only `allocatable`.
  const all = fields(state["capacity"] ?? state["allocatable"])
  const capacity = PodResources.ofNode(all)
  const gpuParts = PodResources.gpuParts(all, accelerators)
  const unchargedAccelerators = Accelerators.uncharged(all, accelerators)
  return {
    uid: metadata.uid,
    name: metadata.name,
    labels: interner.labels(metadata.labels ?? {}),
    createdAt: metadata.creationTimestamp ?? PodProjection.UNKNOWN_TIME,
    providerId: text(specification["providerID"]) ?? "",
    ready: isConditionTrue(state, "Ready"),
    unschedulable: specification["unschedulable"] === true,
    cpuAllocatableMillis: allocatable.cpuMillis,
    memoryAllocatableBytes: allocatable.memoryBytes,
    cpuCapacityMillis: capacity.cpuMillis,
    memoryCapacityBytes: capacity.memoryBytes,
    gpus: PodResources.gpus(all),
    ...(gpuParts === undefined ? {} : { gpuParts }),
    ...(unchargedAccelerators === undefined ? {} : { unchargedAccelerators })
  }
}

const projections: { readonly [K in Kind.Kind]: Project<K> } = {
  Namespace: namespaceRecord,
  Node: nodeRecord,
  Pod: PodProjection.podRecord,
  Deployment: WorkloadProjection.deployment,
  StatefulSet: WorkloadProjection.statefulSet,
  DaemonSet: WorkloadProjection.daemonSet,
  ReplicaSet: WorkloadProjection.replicaSet,
  Job: WorkloadProjection.job,
  CronJob: WorkloadProjection.cronJob,
  Event: EventProjection.eventRecord
}
