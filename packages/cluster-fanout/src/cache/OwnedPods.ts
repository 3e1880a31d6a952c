/**
 * Groups the pods of one cluster by workload, and finds owned objects that are workloads themselves.
 *
 * Groups hold only pods that affect a row's figures. For a workload without an object in the cache, those are all its pods. For
 * other workloads, those are the pods that were not made from the workload's own template.
 */
import * as Kind from "../projection/Kind.ts"
import * as Owner from "../projection/Owner.ts"
import type { PodRecord } from "../projection/PodProjection.ts"
import type { PodTrouble } from "../projection/PodTrouble.ts"
import type { RecordOf } from "../projection/Projection.ts"
import { hasEnded } from "./RunningJobs.ts"
import { WorkloadTroubles } from "./WorkloadTroubles.ts"

/** The records of one cluster, by uid. A kind that was not read is absent. */
export type Records = { readonly [K in Kind.WorkloadKind]?: ReadonlyMap<string, RecordOf[K]> | undefined }

/** A pod and its workload. **Shape** `isDirect` is true if the workload controls the pod directly. */
export interface OwnedPod {
  readonly pod: PodRecord
  readonly workload: Owner.Owner
  readonly isDirect: boolean
}

/** The pods of one workload in one namespace, by uid; never empty. */
export type Group = ReadonlyMap<string, OwnedPod>

/** An object that can own pods on behalf of a workload. */
type LinkRecord = RecordOf[Kind.LinkKind]

/** The kind of object between a workload and the pods of its own template. **Shape** a Pod has no template. */
const BETWEEN: Readonly<Record<Exclude<Kind.WorkloadKind, "Pod">, Owner.Outermost["between"]>> = {
  Deployment: "ReplicaSet",
  StatefulSet: "none",
  DaemonSet: "none",
  ReplicaSet: "none",
  Job: "none",
  CronJob: "Job"
}

/** Returns the group key of a workload without an object. **Shape** contains slashes, which no uid has. */
const keyOf = (namespace: string, { kind, name }: Owner.NamedOwner): string => `${namespace}/${kind}/${name}`

export class OwnedPods {
  readonly #records: () => Records
  readonly #chain: Owner.Chain
  /**
   * Uids of the pods, ReplicaSets and Jobs that each owner controls, by the owner's uid. Owners may be unknown objects
   * of followed kinds.
   */
  readonly #controlled = new Map<string, Set<string>>()
  readonly #groups = new Map<string, Map<string, OwnedPod>>()
  /** The group key of each pod, by the pod's uid. */
  readonly #groupOf = new Map<string, string>()
  readonly #troubles = new WorkloadTroubles((key) => this.#changed.add(key))
  /** Uids of owned objects that are workloads themselves, because their owners form a cycle. */
  readonly #alone = new Set<string>()
  /**
   * Uids of workloads by kind, then by namespace and name. A kind is added when it is first needed, for a pod whose
   * owner is not found.
   */
  readonly #namesakes = new Map<Kind.WorkloadKind, Map<string, string>>()
  readonly #changed = new Set<string>()

  /** Makes the index. `records` returns the current objects, including the change being applied. */
  constructor(records: () => Records) {
    this.#records = records
    this.#chain = { find: (kind, uid) => records()[kind]?.get(uid) }
  }

  /** Adds or updates an object. **Limits** linear in the objects that it controls if its name or owner changed. */
  put(
    kind: Kind.WorkloadKind,
    record: RecordOf[Kind.WorkloadKind],
    previous: RecordOf[Kind.WorkloadKind] | undefined
  ): void {
    if (previous !== undefined && areLinkedAlike(previous, record)) return this.#renew(record)
    if (previous !== undefined) this.#forgetName(kind, previous)
    if (Kind.isLink(kind)) {
      if (previous !== undefined && previous.owner?.uid !== record.owner?.uid) this.#unlink(previous)
      this.take(record)
    }
    this.#noteName(kind, record)
    this.#placeControlled(record.uid)
    this.#placeGroup(record.uid)
    this.#placeGroup(OwnedPods.keyOfPods(kind, record))
  }

  /** Updates a pod that stays in its group. */
  #renew(record: RecordOf[Kind.WorkloadKind]): void {
    if (!isPod(record)) return
    if (record.trouble !== undefined || this.#troubles.has(record.uid)) {
      const outermost = Owner.outermost(record, this.#chain)
      this.#placeTrouble(record, outermost, this.#groupOf.get(record.uid))
    }
    const key = this.#groupOf.get(record.uid)
    const group = key === undefined ? undefined : this.#groups.get(key)
    const member = group?.get(record.uid)
    if (key === undefined || group === undefined || member === undefined) return
    group.set(record.uid, { ...member, pod: record })
    this.#changed.add(key)
  }

  /** Adds an object without updating its dependents. Enough if every object of the cluster is added in turn. */
  take(record: LinkRecord): void {
    const { owner, uid } = record
    if (owner?.followed !== undefined) {
      const siblings = this.#controlled.get(owner.uid)
      if (siblings === undefined) this.#controlled.set(owner.uid, new Set([uid]))
      else siblings.add(uid)
    }
    this.#place(record)
  }

  gone(kind: Kind.WorkloadKind, record: RecordOf[Kind.WorkloadKind]): void {
    this.#unlink(record)
    this.#leave(record.uid)
    this.#troubles.delete(record.uid)
    if (this.#alone.delete(record.uid)) this.#changed.add(record.uid)
    this.#forgetName(kind, record)
    this.#placeControlled(record.uid)
    this.#placeGroup(record.uid)
  }

  /** Returns the group key of an object's pods while the object is unknown. */
  static keyOfPods(kind: Kind.WorkloadKind, record: RecordOf[Kind.WorkloadKind]): string {
    const { name, namespace } = placeOf(record)
    return keyOf(namespace, { kind, name })
  }

  /** Returns the pods of a group. Its key is the uid of the workload's object, or `keyOfPods`. */
  group(key: string): Group | undefined {
    return this.#groups.get(key)
  }

  /**
   * Returns the problems of a workload's pods. Its key is the uid of the workload's object.
   *
   * **Shape** without pods of an ended Job if the workload is not that Job. A CronJob keeps ended Jobs, which no longer
   * affect its status.
   */
  troubles(key: string): ReadonlyArray<PodTrouble> {
    const { Job: jobs, Pod: pods } = this.#records()
    const isOfEndedRun = (pod: string) => {
      const owner = pods?.get(pod)?.owner?.uid
      const job = owner === undefined || owner === key ? undefined : jobs?.get(owner)
      return job !== undefined && hasEnded(job)
    }
    return Array.from(this.#troubles.of(key)).flatMap(([pod, trouble]) => (isOfEndedRun(pod) ? [] : trouble))
  }

  /** Returns whether a pod of a workload has a problem. */
  isTroubled(key: string): boolean {
    return this.#troubles.isIn(key)
  }

  /** Returns whether an owned object is a workload itself. */
  isAlone(uid: string): boolean {
    return this.#alone.has(uid)
  }

  /** Number of changed workloads that have not been taken yet. */
  get pending(): number {
    return this.#changed.size
  }

  /** Returns the keys of the workloads that changed since the last call. */
  takeChanged(): ReadonlyArray<string> {
    const changed = [...this.#changed]
    this.#changed.clear()
    return changed
  }

  /** Updates the groups of everything that an object controls, directly or not. */
  #placeControlled(owner: string): void {
    if (!this.#controlled.has(owner)) return
    const records = this.#records()
    const placed = new Set<string>()
    let owners: ReadonlyArray<string> = [owner]
    // `Owner.outermost` follows no chain beyond `MOST_OWNERS`, so objects farther away do not depend on this one.
    for (let depth = 0; owners.length > 0 && depth <= Owner.MOST_OWNERS; depth++) {
      const next: Array<string> = []
      for (const uid of owners) {
        for (const controlled of this.#controlled.get(uid) ?? []) {
          const record = recordOf(records, controlled)
          if (record === undefined || placed.has(controlled)) continue
          placed.add(controlled)
          this.#place(record)
          if (this.#controlled.has(controlled)) next.push(controlled)
        }
      }
      owners = next
    }
  }

  #place(record: LinkRecord): void {
    const { owner, uid } = record
    const { namespace } = placeOf(record)
    const outermost = Owner.outermost({ uid, namespace, owner }, this.#chain)
    const isAlone = owner !== undefined && outermost === undefined
    if (isAlone !== this.#alone.has(uid)) {
      if (isAlone) this.#alone.add(uid)
      else this.#alone.delete(uid)
      this.#changed.add(uid)
    }
    if (!isPod(record)) return
    const key = outermost === undefined ? undefined : this.#groupKey(outermost, namespace)
    this.#placeTrouble(record, outermost, key)
    if (this.#groupOf.get(uid) !== key) this.#leave(uid)
    if (outermost === undefined || key === undefined) return
    const member: OwnedPod = { pod: record, workload: outermost.workload, isDirect: outermost.between === "none" }
    const group = this.#groups.get(key)
    if (group === undefined) this.#groups.set(key, new Map([[uid, member]]))
    else group.set(uid, member)
    this.#groupOf.set(uid, key)
    this.#changed.add(key)
  }

  /**
   * Returns the group key of a pod.
   *
   * **Shape** `undefined` if the row of the workload's object includes the pod already. If the owner is gone and
   * another object has its kind and name, the pod belongs to that object, as in cost reports.
   */
  #groupKey({ between, workload }: Owner.Outermost, namespace: string): string | undefined {
    const { followed } = workload
    if (followed === undefined) return keyOf(namespace, workload)
    const isKnown = Owner.find(workload, namespace, this.#chain) !== undefined
    if (isKnown) return followed !== "Pod" && BETWEEN[followed] === between ? undefined : workload.uid
    // If the kind cannot be read, the coverage reports it as missing, and no row is made from its pods.
    const records = this.#records()[followed]
    if (records === undefined) return undefined
    const key = keyOf(namespace, workload)
    return this.#namesOf(followed, records).get(key) ?? key
  }

  /** Notes the problem of a pod at the workload whose row it affects. */
  #placeTrouble(pod: PodRecord, outermost: Owner.Outermost | undefined, group: string | undefined): void {
    const { namespace, terminating, trouble, uid } = pod
    if (trouble === undefined || terminating || outermost === undefined) return this.#troubles.delete(uid)
    const { workload } = outermost
    const key = group ?? (Owner.find(workload, namespace, this.#chain) === undefined ? undefined : workload.uid)
    if (key === undefined) this.#troubles.delete(uid)
    else this.#troubles.put(key, uid, trouble)
  }

  #namesOf(kind: Kind.WorkloadKind, records: ReadonlyMap<string, RecordOf[Kind.WorkloadKind]>) {
    const known = this.#namesakes.get(kind)
    if (known !== undefined) return known
    const names = new Map<string, string>()
    this.#namesakes.set(kind, names)
    for (const record of records.values()) this.#noteName(kind, record)
    return names
  }

  #noteName(kind: Kind.WorkloadKind, record: RecordOf[Kind.WorkloadKind]): void {
    const names = this.#namesakes.get(kind)
    if (names === undefined || (Kind.isLink(kind) && record.owner !== undefined)) return
    names.set(OwnedPods.keyOfPods(kind, record), record.uid)
  }

  #forgetName(kind: Kind.WorkloadKind, record: RecordOf[Kind.WorkloadKind]): void {
    const names = this.#namesakes.get(kind)
    if (names === undefined) return
    const key = OwnedPods.keyOfPods(kind, record)
    if (names.get(key) === record.uid) names.delete(key)
  }

  /** Updates the pods of a group whose workload was added, removed or got another owner. */
  #placeGroup(key: string): void {
    for (const { pod } of [...(this.#groups.get(key)?.values() ?? [])]) this.#place(pod)
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

  #unlink({ owner, uid }: RecordOf[Kind.WorkloadKind]): void {
    const siblings = owner === undefined ? undefined : this.#controlled.get(owner.uid)
    if (owner === undefined || siblings?.delete(uid) !== true) return
    if (siblings.size === 0) this.#controlled.delete(owner.uid)
  }
}

const recordOf = (records: Records, uid: string): LinkRecord | undefined =>
  records.Pod?.get(uid) ?? records.ReplicaSet?.get(uid) ?? records.Job?.get(uid)

export const isPod = (record: RecordOf[Kind.WorkloadKind]): record is PodRecord => "phase" in record

const placeOf = (record: RecordOf[Kind.WorkloadKind]) => (isPod(record) ? record : record.row)

/** Returns whether two versions of an object have the same namespace, name and owner. */
export const areLinkedAlike = (left: RecordOf[Kind.WorkloadKind], right: RecordOf[Kind.WorkloadKind]): boolean => {
  const leftPlace = placeOf(left)
  const rightPlace = placeOf(right)
  return (
    leftPlace.namespace === rightPlace.namespace
    && leftPlace.name === rightPlace.name
    && left.owner?.uid === right.owner?.uid
    && left.owner?.kind === right.owner?.kind
    && left.owner?.name === right.owner?.name
    && left.owner?.followed === right.owner?.followed
  )
}
