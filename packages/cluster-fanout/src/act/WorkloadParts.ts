/**
 * Collects the listed parts of one workload: its object, the ReplicaSets and Jobs of its namespace, and its pods.
 */
import { ClusterStore } from "../cache/ClusterStore.ts"
import type { KubeObject } from "../kube/KubeObject.ts"
import * as Interner from "../projection/Interner.ts"
import type * as Kind from "../projection/Kind.ts"
import * as Owner from "../projection/Owner.ts"
import type { Place } from "../projection/Place.ts"
import { isFinished, type PodRecord } from "../projection/PodProjection.ts"
import * as PodRows from "../projection/PodRows.ts"
import { type Change, project, type RecordOf } from "../projection/Projection.ts"
import type { PodRow, WorkloadRow } from "../projection/Row.ts"
import * as Detail from "../projection/WorkloadDetail.ts"
import type { Cluster } from "../registry/Cluster.ts"

/** A pod that belongs or may belong to the workload. */
interface ListedPod {
  readonly record: PodRecord
  readonly object: KubeObject
}

/** Fields of other workloads' pods that owner lookups need. */
type OtherPod = Pick<PodRecord, "namespace" | "name" | "owner">

export class WorkloadParts {
  /** Restarts in all pods together, by container name. */
  readonly restarts = new Map<string, number>()
  readonly #named: Owner.NamedOwner
  readonly #store: ClusterStore
  readonly #place: Place
  readonly #now: number
  readonly #pods = new Map<string, ListedPod>()
  readonly #listed = new Map<string, OtherPod>()
  /** Pods whose owner chain leads to a pod that has not been listed yet. */
  #unplaced: Array<ListedPod> = []
  /** Pods of other workloads that are part of the owner chains of this workload's pods. */
  readonly #linking: Array<PodRecord> = []
  readonly #chain: Owner.Chain = {
    find: (kind, uid) => (kind === "Pod" ? this.#listed.get(uid) : this.#store.chain.find(kind, uid))
  }

  /** Starts without parts. `named` is the workload's kind and name. **Units** `now` milliseconds by `steadyClock`. */
  constructor(cluster: Cluster, named: Owner.NamedOwner, now: number) {
    this.#named = named
    this.#store = new ClusterStore(cluster)
    this.#place = { cluster: cluster.name, interner: Interner.make() }
    this.#now = now
  }

  /** Projects an object. */
  record<K extends Kind.Kind>(kind: K, object: KubeObject): RecordOf[K] {
    return project(kind, object, this.#place)
  }

  /** Adds all objects of a kind. */
  put<K extends Kind.Kind>(kind: K, records: ReadonlyArray<RecordOf[K]>): void {
    const changes: Array<Change<RecordOf[K]>> = records.map((record) => ({ _tag: "Put", record }))
    this.#store.apply(kind, [...changes, { _tag: "Synced" }], this.#now)
  }

  /** Adds the workload's own object, replacing the listed one. */
  putOwn<K extends Kind.Kind>(kind: K, record: RecordOf[K]): void {
    if (this.#store.table(kind).sync._tag === "Synced") this.#store.apply(kind, [{ _tag: "Put", record }], this.#now)
    else this.put(kind, [record])
  }

  /**
   * Adds a pod of the namespace, if it belongs to the workload. Add ReplicaSets and Jobs first.
   *
   * **Limits** keeps three fields of a pod of another workload.
   */
  addPod(object: KubeObject): void {
    const record = this.record("Pod", object)
    const { name, namespace, owner, uid } = record
    this.#listed.set(uid, { namespace, name, owner })
    const pod = { record, object }
    const workload = Owner.outermost(record, this.#chain)?.workload
    if (workload?.followed === "Pod" && !this.#listed.has(workload.uid)) this.#unplaced.push(pod)
    else this.#keep(pod, workload)
  }

  #keep(pod: ListedPod, workload: Owner.NamedOwner | undefined): void {
    const { name, owner, uid } = pod.record
    const counted = workload ?? { kind: "Pod", name }
    if (counted.kind === this.#named.kind && counted.name === this.#named.name) this.#pods.set(uid, pod)
    else if (owner?.followed === "Pod" || (owner !== undefined && workload === undefined))
      this.#linking.push(pod.record)
  }

  /** Makes the workload rows from all added objects. */
  rows(): ReadonlyArray<WorkloadRow> {
    for (const pod of this.#unplaced) this.#keep(pod, Owner.outermost(pod.record, this.#chain)?.workload)
    this.#unplaced = []
    for (const { object } of this.#pods.values()) Detail.addRestarts(this.restarts, object)
    this.put("Pod", [...this.#linking, ...Array.from(this.#pods.values(), ({ record }) => record)])
    return this.#store.workloads()
  }

  get podCount(): number {
    return this.#pods.size
  }

  /** Returns the first `max` pods: first those that are neither ready nor finished, then the others, each by name. */
  pods(max: number): ReadonlyArray<PodRow> {
    return Array.from(this.#pods.values(), ({ record }) => record)
      .toSorted((left, right) => concernOf(right) - concernOf(left) || (left.name < right.name ? -1 : 1))
      .slice(0, max)
      .map((record) => PodRows.of(record, this.#chain))
  }

  /** Returns the specs of the pods, newest first. */
  specs(): ReadonlyArray<unknown> {
    return [...this.#pods.values()]
      .toSorted(({ record: left }, { record: right }) => (left.createdAt < right.createdAt ? 1 : -1))
      .map(({ object }) => object["spec"])
  }
}

const concernOf = (pod: PodRecord): number => (pod.ready || isFinished(pod) ? 0 : 1)
