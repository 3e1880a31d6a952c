/**
 * The pods of one cluster that make a row together: those that a custom kind holds, itself or through a ReplicaSet or Job.
 */
import * as Owner from "../projection/Owner.ts"
import type { PodRecord } from "../projection/PodProjection.ts"

/** One pod of a group, with the workload that it counts to. */
export interface OwnedPod {
  readonly pod: PodRecord
  readonly workload: Owner.Owner
}

/** The pods of one workload in one namespace, by uid; never empty. */
export type Group = ReadonlyMap<string, OwnedPod>

/**
 * Names the group of an owner's pods in one namespace: an owner without a namespace may hold pods in several, and each
 * namespace has a group of its own.
 */
const keyOf = (namespace: string, workload: Owner.Owner): string => `${namespace}/${workload.uid}`

export class OwnedPods {
  readonly #chain: () => Owner.Chain
  /** The pods of each ReplicaSet and Job, whether or not it is known, by its uid. */
  readonly #byHolder = new Map<string, Array<PodRecord>>()
  readonly #groups = new Map<string, Map<string, OwnedPod>>()
  /** The group that a pod is in, by the pod's uid. */
  readonly #groupOf = new Map<string, string>()
  readonly #changed = new Set<string>()

  /** Finds workloads by `chain`, which gives what is known when a change is told, that change included. */
  constructor(chain: () => Owner.Chain) {
    this.#chain = chain
  }

  put(pod: PodRecord, held: PodRecord | undefined): void {
    if (held !== undefined) this.#unlink(held)
    if (pod.owner === undefined) {
      this.#leave(pod.uid)
      return
    }
    const holder = holderOf(pod)
    if (holder !== undefined) {
      const pods = this.#byHolder.get(holder)
      if (pods === undefined) this.#byHolder.set(holder, [pod])
      else pods.push(pod)
    }
    this.#place(pod, pod.owner)
  }

  gone(pod: PodRecord): void {
    this.#unlink(pod)
    this.#leave(pod.uid)
  }

  /** Says that a ReplicaSet or Job came, went, or has another owner. */
  relink(holder: string): void {
    for (const pod of this.#byHolder.get(holder) ?? []) {
      if (pod.owner !== undefined) this.#place(pod, pod.owner)
    }
  }

  /** How many groups changed since they were last taken. */
  get pending(): number {
    return this.#changed.size
  }

  /** Gives the groups that changed since this was last asked. **Shape** `undefined` for one that is empty now. */
  takeChanged(): ReadonlyArray<readonly [key: string, group: Group | undefined]> {
    const changed = Array.from(this.#changed, (key) => [key, this.#groups.get(key)] as const)
    this.#changed.clear()
    return changed
  }

  #place(pod: PodRecord, owner: Owner.Owner): void {
    const workload = Owner.workloadOf(owner, pod.namespace, this.#chain())
    const key = workload === undefined || workload.followed !== undefined ? undefined : keyOf(pod.namespace, workload)
    if (this.#groupOf.get(pod.uid) !== key) this.#leave(pod.uid)
    if (workload === undefined || key === undefined) return
    const group = this.#groups.get(key)
    if (group === undefined) this.#groups.set(key, new Map([[pod.uid, { pod, workload }]]))
    else group.set(pod.uid, { pod, workload })
    this.#groupOf.set(pod.uid, key)
    this.#changed.add(key)
  }

  #leave(uid: string): void {
    const key = this.#groupOf.get(uid)
    if (key === undefined) return
    this.#groupOf.delete(uid)
    this.#changed.add(key)
    const group = this.#groups.get(key)
    group?.delete(uid)
    if (group?.size === 0) this.#groups.delete(key)
  }

  #unlink(pod: PodRecord): void {
    const holder = holderOf(pod)
    if (holder === undefined) return
    const pods = this.#byHolder.get(holder)
    const place = pods?.indexOf(pod) ?? -1
    if (pods === undefined || place < 0) return
    pods.splice(place, 1)
    if (pods.length === 0) this.#byHolder.delete(holder)
  }
}

const holderOf = ({ owner }: PodRecord): string | undefined =>
  owner?.followed === "ReplicaSet" || owner?.followed === "Job" ? owner.uid : undefined
