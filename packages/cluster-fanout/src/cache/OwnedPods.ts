/**
 * The pods of one cluster by the workload that they count to, and which objects are workloads though they have an owner.
 *
 * Held are only the pods that a row is made of: all pods of a workload that has no object in the cache, and of other
 * workloads the pods that do not come from the workload's own template.
 */
import * as Kind from "../projection/Kind.ts"
import * as Owner from "../projection/Owner.ts"
import type { PodRecord } from "../projection/PodProjection.ts"
import type { RecordOf } from "../projection/Projection.ts"

/** The records of one cluster, by uid; a kind that was not read is absent. */
export type Records = { readonly [K in Kind.WorkloadKind]?: ReadonlyMap<string, RecordOf[K]> | undefined }

/** One pod of a group, with the workload that it counts to. **Shape** `isDirect` if nothing stands between the two. */
export interface OwnedPod {
  readonly pod: PodRecord
  readonly workload: Owner.Owner
  readonly isDirect: boolean
}

/** The pods of one workload in one namespace, by uid; never empty. */
export type Group = ReadonlyMap<string, OwnedPod>

/** An object that can stand between a pod and its workload. */
type LinkRecord = RecordOf[Kind.LinkKind]

/** The object between a workload of a kind and the pods of its own template. **Shape** a Pod has no template. */
const BETWEEN: Readonly<Record<Exclude<Kind.WorkloadKind, "Pod">, Owner.Outermost["between"]>> = {
  Deployment: "ReplicaSet",
  StatefulSet: "none",
  DaemonSet: "none",
  ReplicaSet: "none",
  Job: "none",
  CronJob: "Job"
}

/** Names the group of a workload without object. **Shape** a slash parts its words: no uid of an object has one. */
const keyOf = (namespace: string, { kind, name }: Owner.NamedOwner): string => `${namespace}/${kind}/${name}`

export class OwnedPods {
  readonly #records: () => Records
  readonly #chain: Owner.Chain
  /** The pods, ReplicaSets and Jobs that an object of a followed kind controls, whether or not it is known, by its uid. */
  readonly #controlled = new Map<string, Set<string>>()
  readonly #groups = new Map<string, Map<string, OwnedPod>>()
  /** The group that a pod is in, by the pod's uid. */
  readonly #groupOf = new Map<string, string>()
  /** The objects with an owner that are workloads themselves: those in circles. */
  readonly #alone = new Set<string>()
  /** The uids of the workloads of a kind by namespace and name, from the first pod on whose owner of the kind is not there. */
  readonly #namesakes = new Map<Kind.WorkloadKind, Map<string, string>>()
  readonly #changed = new Set<string>()

  /** Finds owners in `records`, which gives the objects of the moment of a change, that change included. */
  constructor(records: () => Records) {
    this.#records = records
    this.#chain = { find: (kind, uid) => records()[kind]?.get(uid) }
  }

  /** Takes an object that comes or changes. **Limits** linear in what it controls when its place or owner changed. */
  put(
    kind: Kind.WorkloadKind,
    record: RecordOf[Kind.WorkloadKind],
    held: RecordOf[Kind.WorkloadKind] | undefined
  ): void {
    if (held !== undefined && areLinkedAlike(held, record)) return this.#renew(record)
    if (held !== undefined) this.#forgetName(kind, held)
    if (Kind.isLink(kind)) {
      if (held !== undefined && held.owner?.uid !== record.owner?.uid) this.#unlink(held)
      this.take(record)
    }
    this.#noteName(kind, record)
    this.#placeControlled(record.uid)
    this.#placeGroup(record.uid)
    this.#placeGroup(OwnedPods.keyOfPods(kind, record))
  }

  /** Puts a pod that counts to the same workload as before into its group. */
  #renew(record: RecordOf[Kind.WorkloadKind]): void {
    const key = this.#groupOf.get(record.uid)
    const group = key === undefined ? undefined : this.#groups.get(key)
    const member = group?.get(record.uid)
    if (key === undefined || group === undefined || member === undefined || !isPod(record)) return
    group.set(record.uid, { ...member, pod: record })
    this.#changed.add(key)
  }

  /** Takes an object of a link kind whose owner and dependents need no new place: all objects are taken one by one. */
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
    if (this.#alone.delete(record.uid)) this.#changed.add(record.uid)
    this.#forgetName(kind, record)
    this.#placeControlled(record.uid)
    this.#placeGroup(record.uid)
  }

  /** Names the group that the pods of an object are in while the object is not known. */
  static keyOfPods(kind: Kind.WorkloadKind, record: RecordOf[Kind.WorkloadKind]): string {
    const { name, namespace } = placeOf(record)
    return keyOf(namespace, { kind, name })
  }

  /** Returns the pods of a group: its key is the uid of the workload's object, or `keyOfPods`. */
  group(key: string): Group | undefined {
    return this.#groups.get(key)
  }

  /** Whether an object with an owner is a workload itself. */
  isAlone(uid: string): boolean {
    return this.#alone.has(uid)
  }

  /** The number of workloads that changed since they were last taken. */
  get pending(): number {
    return this.#changed.size
  }

  /** Returns the keys of the workloads that changed since this was last called. */
  takeChanged(): ReadonlyArray<string> {
    const changed = [...this.#changed]
    this.#changed.clear()
    return changed
  }

  /** Places everything anew that an object leads to. */
  #placeControlled(owner: string): void {
    if (!this.#controlled.has(owner)) return
    const records = this.#records()
    const placed = new Set<string>()
    let owners: ReadonlyArray<string> = [owner]
    // Beyond so many owners an object does not depend on this one.
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
    const found = Owner.outermost({ uid, namespace, owner }, this.#chain)
    const isAlone = owner !== undefined && found === undefined
    if (isAlone !== this.#alone.has(uid)) {
      if (isAlone) this.#alone.add(uid)
      else this.#alone.delete(uid)
      this.#changed.add(uid)
    }
    if (!isPod(record)) return
    const key = found === undefined ? undefined : this.#groupKey(found, namespace)
    if (this.#groupOf.get(uid) !== key) this.#leave(uid)
    if (found === undefined || key === undefined) return
    const member: OwnedPod = { pod: record, workload: found.workload, isDirect: found.between === "none" }
    const group = this.#groups.get(key)
    if (group === undefined) this.#groups.set(key, new Map([[uid, member]]))
    else group.set(uid, member)
    this.#groupOf.set(uid, key)
    this.#changed.add(key)
  }

  /**
   * Names the group that a pod belongs to.
   *
   * **Shape** `undefined` where the row of the workload's object has the pod already. If the owner is gone and another object has
   * its kind and name, the pod counts to that one, as in costs.
   */
  #groupKey({ between, workload }: Owner.Outermost, namespace: string): string | undefined {
    const { followed } = workload
    if (followed === undefined) return keyOf(namespace, workload)
    const isKnown = Owner.find(workload, namespace, this.#chain) !== undefined
    if (isKnown) return followed !== "Pod" && BETWEEN[followed] === between ? undefined : workload.uid
    // Where the kind cannot be read, the coverage names its missing rows, and none is made of pods.
    const records = this.#records()[followed]
    if (records === undefined) return undefined
    const key = keyOf(namespace, workload)
    return this.#namesOf(followed, records).get(key) ?? key
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

  /** Places the pods of a group anew, whose workload came, went or got another owner. */
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

/** Whether two versions of an object have the same place and the same owner. */
export const areLinkedAlike = (one: RecordOf[Kind.WorkloadKind], other: RecordOf[Kind.WorkloadKind]): boolean => {
  const place = placeOf(one)
  const otherPlace = placeOf(other)
  return (
    place.namespace === otherPlace.namespace
    && place.name === otherPlace.name
    && one.owner?.uid === other.owner?.uid
    && one.owner?.kind === other.owner?.kind
    && one.owner?.name === other.owner?.name
    && one.owner?.followed === other.owner?.followed
  )
}
