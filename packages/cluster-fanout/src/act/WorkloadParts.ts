/**
 * What was listed of one workload: its object, what stands between it and its pods, and the pods.
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

/** Tells whether a pod is the workload's. **Shape** `owner` is the workload that the pod counts to, if any. */
export type IsOwn = (pod: PodRecord, owner: Owner.Owner | undefined) => boolean

export class WorkloadParts {
  /** Of the pods' containers, by name. */
  readonly restarts = new Map<string, number>()
  readonly #store: ClusterStore
  readonly #place: Place
  readonly #now: number
  readonly #pods: Array<{ readonly record: PodRecord; readonly spec: unknown }> = []

  /** Takes the parts of a workload of `cluster`; `now` is in milliseconds by `steadyClock`. */
  constructor(cluster: Cluster, now: number) {
    this.#store = new ClusterStore(cluster)
    this.#place = { cluster: cluster.name, interner: Interner.make() }
    this.#now = now
  }

  /** Projects an object. */
  record<K extends Kind.Kind>(kind: K, object: KubeObject): RecordOf[K] {
    return project(kind, object, this.#place)
  }

  /** Takes all that there is of a kind. */
  put<K extends Kind.Kind>(kind: K, records: ReadonlyArray<RecordOf[K]>): void {
    const changes: Array<Change<RecordOf[K]>> = records.map((record) => ({ _tag: "Put", record }))
    this.#store.apply(kind, [...changes, { _tag: "Synced" }], this.#now)
  }

  /** Takes a pod, if it is the workload's: what stands between must be there by then. */
  takePod(object: KubeObject, isOwn: IsOwn): void {
    const record = this.record("Pod", object)
    const { namespace, owner } = record
    const workload = owner === undefined ? undefined : Owner.nearestWorkload(owner, namespace, this.#store.chain)
    if (!isOwn(record, workload)) return
    this.#pods.push({ record, spec: object["spec"] })
    Detail.addRestarts(this.restarts, object)
  }

  /** Makes the rows of all that was taken. */
  rows(): ReadonlyArray<WorkloadRow> {
    this.put(
      "Pod",
      this.#pods.map(({ record }) => record)
    )
    return this.#store.workloads()
  }

  get podCount(): number {
    return this.#pods.length
  }

  /** Gives the pods, those first that wait or fail, then by name. */
  pods(most: number): ReadonlyArray<PodRow> {
    const { chain } = this.#store
    return this.#pods
      .map(({ record }) => record)
      .toSorted((one, other) => concernOf(other) - concernOf(one) || (one.name < other.name ? -1 : 1))
      .slice(0, most)
      .map((record) => PodRows.of(record, chain))
  }

  /** Gives the specs of the pods, the newest first. */
  specs(): ReadonlyArray<unknown> {
    return this.#pods
      .toSorted(({ record: one }, { record: other }) => (one.createdAt < other.createdAt ? 1 : -1))
      .map(({ spec }) => spec)
  }
}

const concernOf = (pod: PodRecord): number => (pod.ready || isFinished(pod) ? 0 : 1)
