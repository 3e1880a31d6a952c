/**
 * Makes the workload rows of one cluster from its projected objects, and keeps them with each change.
 *
 * A row belongs to the outermost thing that holds pods: an owned ReplicaSet or Job makes none, a CronJob's numbers are
 * those of its Jobs, and a custom kind is known only by its pods. The rows do not depend on the order in which objects
 * became known.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Observer } from "./KindTable.ts"
import { OwnedPods } from "./OwnedPods.ts"
import type { RowChange, RowSource } from "./RowSet.ts"
import { RunningJobs } from "./RunningJobs.ts"
import * as WorkloadRows from "./WorkloadRows.ts"
import * as Kind from "../projection/Kind.ts"
import type { PodRecord } from "../projection/PodProjection.ts"
import type { RecordOf } from "../projection/Projection.ts"
import type { WorkloadRow } from "../projection/Row.ts"
import type { WorkloadRecord } from "../projection/WorkloadProjection.ts"

/** The records of one cluster, by uid; a kind that was not read is empty. */
export type Records = { readonly [K in Kind.WorkloadKind]: ReadonlyMap<string, RecordOf[K]> }

/** What hears of the records of each kind. */
export type Observers = { readonly [K in Kind.WorkloadKind]: Observer<RecordOf[K]> }

const HOLDERS = ["ReplicaSet", "Job"] as const

/** How many groups and CronJobs may wait to be told of. **Units** some 140 bytes each. */
const MOST_PENDING = 4_096

/** Records that one step derives from: well under a millisecond's work. */
const STEP_RECORDS = 256

/** A cluster in which something changes all the time is derived at once after so many attempts. */
const MOST_ATTEMPTS = 4

/** What rows of several records are made of. */
interface Parts {
  readonly pods: OwnedPods
  readonly jobs: RunningJobs
  /** The rows as they were last told, by group and by the CronJob's uid. */
  readonly groups: Map<string, WorkloadRow>
  readonly cronJobs: Map<string, WorkloadRow>
}

/** Rows that are derived some at a time. */
interface Deriving {
  readonly rows: Array<WorkloadRow>
  readonly steps: Iterator<undefined, Parts>
  /** Once all are. */
  parts: Parts | undefined
}

export class RowKeeper implements RowSource<WorkloadRow> {
  readonly #cluster: ClusterName
  readonly #records: () => Records
  readonly #change: RowChange<WorkloadRow>
  /** `undefined` when a kind was read anew: everything is derived when it is next asked for. */
  #parts: Parts | undefined
  #deriving: Deriving | undefined
  /** How often it was begun since everything was last derived. */
  #attempts = 0

  /** Derives rows from `records`, which gives what is known when a change is told, that change included. */
  constructor(cluster: ClusterName, records: () => Records, change: RowChange<WorkloadRow>) {
    this.#cluster = cluster
    this.#records = records
    this.#change = change
  }

  /**
   * Tells what is still to be told of rows that are made of several records.
   *
   * **Shape** gives all rows instead when they had to be derived anew, and tells of none then.
   *
   * **Limits** linear in the groups that changed; in all objects when a kind was read anew.
   */
  settle(): ReadonlyArray<WorkloadRow> | undefined {
    if (this.#parts !== undefined) {
      this.#settleParts(this.#parts)
      return undefined
    }
    const deriving = this.#deriving ?? this.#begin()
    while (this.#advance(deriving)) continue
    this.#parts = deriving.parts
    this.#deriving = undefined
    this.#attempts = 0
    return deriving.rows
  }

  prepare(): boolean {
    if (this.#parts !== undefined) return false
    if (this.#deriving === undefined && ++this.#attempts > MOST_ATTEMPTS) return false
    return this.#advance((this.#deriving ??= this.#begin()))
  }

  #begin(): Deriving {
    const rows: Array<WorkloadRow> = []
    return { rows, steps: this.#derive(rows), parts: undefined }
  }

  /** Derives some more. **Shape** gives whether there is more. */
  #advance(deriving: Deriving): boolean {
    if (deriving.parts !== undefined) return false
    try {
      const { done, value } = deriving.steps.next()
      if (done === true) deriving.parts = value
      return done !== true
    } catch (defect) {
      this.#deriving = undefined
      throw defect
    }
  }

  #settleParts(parts: Parts): void {
    this.#attempt(() => {
      this.#settleGroups(parts, this.#change)
      this.#settleCronJobs(parts, this.#change)
    })
  }

  /** What a defect leaves half changed is derived anew when it is next asked for. */
  #attempt(change: () => void): void {
    try {
      change()
    } catch (defect) {
      this.#parts = undefined
      throw defect
    }
  }

  /** Nobody may ask for a long time: what is still to be told must not pile up. */
  #changed(change: () => void): void {
    this.#deriving = undefined
    this.#attempt(change)
    const parts = this.#parts
    if (parts !== undefined && parts.pods.pending + parts.jobs.pending > MOST_PENDING) this.#settleParts(parts)
  }

  /** Makes what is to observe the records. */
  observers(): Observers {
    const whole = () => {
      this.#parts = undefined
      this.#deriving = undefined
    }
    const plain: Observer<WorkloadRecord> = {
      put: ({ row }, held) => this.#changed(() => this.#tell(held?.row, row)),
      gone: ({ row }) => this.#changed(() => this.#tell(row, undefined)),
      whole
    }
    return {
      Deployment: plain,
      StatefulSet: plain,
      DaemonSet: plain,
      ReplicaSet: {
        put: (set, held) => this.#changed(() => this.#putHolder(set, held)),
        gone: (set) => this.#changed(() => this.#holderGone(set)),
        whole
      },
      Job: {
        put: (job, held) =>
          this.#changed(() => {
            this.#putHolder(job, held)
            this.#parts?.jobs.put(job, held)
          }),
        gone: (job) =>
          this.#changed(() => {
            this.#holderGone(job)
            this.#parts?.jobs.gone(job)
          }),
        whole
      },
      CronJob: {
        put: ({ uid }) => this.#changed(() => this.#parts?.jobs.touch(uid)),
        gone: ({ uid }) => this.#changed(() => this.#parts?.jobs.touch(uid)),
        whole
      },
      Pod: {
        put: (pod, held) => this.#changed(() => this.#putPod(pod, held)),
        gone: (pod) => this.#changed(() => this.#podGone(pod)),
        whole
      }
    }
  }

  #putHolder(holder: WorkloadRecord, held: WorkloadRecord | undefined): void {
    this.#tell(rowOf(held), rowOf(holder))
    if (held === undefined || !areLinkedAlike(held, holder)) this.#parts?.pods.relink(holder.uid)
  }

  #holderGone(holder: WorkloadRecord): void {
    this.#tell(rowOf(holder), undefined)
    this.#parts?.pods.relink(holder.uid)
  }

  #putPod(pod: PodRecord, held: PodRecord | undefined): void {
    this.#tell(held?.row, pod.row)
    this.#parts?.pods.put(pod, held)
  }

  #podGone(pod: PodRecord): void {
    this.#tell(pod.row, undefined)
    this.#parts?.pods.gone(pod)
  }

  #tell(held: WorkloadRow | undefined, next: WorkloadRow | undefined): void {
    if (this.#parts !== undefined && (held ?? next) !== undefined) this.#change(held, next)
  }

  *#derive(rows: Array<WorkloadRow>): Generator<undefined, Parts> {
    const records = this.#records()
    const parts: Parts = {
      pods: new OwnedPods(this.#records),
      jobs: new RunningJobs(),
      groups: new Map(),
      cronJobs: new Map()
    }
    const add: RowChange<WorkloadRow> = (_, next) => {
      if (next !== undefined) rows.push(next)
    }
    for (const kind of Kind.plainKinds) for (const { row } of records[kind].values()) rows.push(row)
    for (const kind of HOLDERS) for (const holder of records[kind].values()) add(undefined, rowOf(holder))
    for (const job of records.Job.values()) parts.jobs.put(job, undefined)
    for (const uid of records.CronJob.keys()) parts.jobs.touch(uid)
    let derived = 0
    for (const pod of records.Pod.values()) {
      add(undefined, pod.row)
      parts.pods.put(pod, undefined)
      if (++derived % STEP_RECORDS === 0) yield undefined
    }
    this.#settleGroups(parts, add)
    this.#settleCronJobs(parts, add)
    return parts
  }

  #settleGroups({ groups, pods }: Parts, change: RowChange<WorkloadRow>): void {
    for (const [key, group] of pods.takeChanged()) {
      retell(groups, key, group === undefined ? undefined : WorkloadRows.ofPods(this.#cluster, group), change)
    }
  }

  #settleCronJobs({ cronJobs, jobs }: Parts, change: RowChange<WorkloadRow>): void {
    const known = this.#records().CronJob
    for (const uid of jobs.takeTouched()) {
      const cronJob = known.get(uid)
      const row = cronJob === undefined ? undefined : WorkloadRows.ofCronJob(cronJob.row, jobs.of(cronJob))
      retell(cronJobs, uid, row, change)
    }
  }
}

/** A ReplicaSet or Job that another object owns makes no row. */
const rowOf = (holder: WorkloadRecord | undefined): WorkloadRow | undefined =>
  holder?.owner === undefined ? holder?.row : undefined

const areLinkedAlike = (one: WorkloadRecord, other: WorkloadRecord): boolean =>
  one.row.namespace === other.row.namespace
  && one.owner?.uid === other.owner?.uid
  && one.owner?.kind === other.owner?.kind
  && one.owner?.name === other.owner?.name
  && one.owner?.followed === other.owner?.followed

/** Tells of a row that is made anew, if it differs from the one that was told. */
const retell = (
  told: Map<string, WorkloadRow>,
  key: string,
  next: WorkloadRow | undefined,
  change: RowChange<WorkloadRow>
): void => {
  const held = told.get(key)
  if (held === next) return
  if (next === undefined) told.delete(key)
  else told.set(key, next)
  change(held, next)
}
