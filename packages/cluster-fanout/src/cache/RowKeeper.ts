/**
 * Makes the workload rows of one cluster from its projected objects, and keeps them with each change.
 *
 * A row belongs to the outermost owner of pods that is known. An owned ReplicaSet or Job makes none, a CronJob's numbers are
 * those of its Jobs, and a custom kind is known only by its pods. The rows do not depend on the order in which objects
 * became known.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Observer } from "./KindTable.ts"
import { areLinkedAlike, isPod, OwnedPods, type Records } from "./OwnedPods.ts"
import type { RowChange, RowSource } from "./RowSet.ts"
import { RunningJobs } from "./RunningJobs.ts"
import * as WorkloadRows from "./WorkloadRows.ts"
import * as Kind from "../projection/Kind.ts"
import { bareRow } from "../projection/PodProjection.ts"
import type { RecordOf } from "../projection/Projection.ts"
import type { WorkloadRow } from "../projection/Row.ts"
import type { WorkloadRecord } from "../projection/WorkloadProjection.ts"

/** What hears of the records of each kind. */
export type Observers = { readonly [K in Kind.WorkloadKind]: Observer<RecordOf[K]> }

/** How many groups and CronJobs may wait to be told of. **Units** some 140 bytes each. */
const MOST_PENDING = 4_096

/** Records that one step derives from: well under a millisecond's work. */
const STEP_RECORDS = 256

/** A cluster in which something changes all the time is derived at once after so many attempts. */
const MOST_ATTEMPTS = 4

/** The state that rows of several records are made from. */
interface Parts {
  readonly pods: OwnedPods
  readonly jobs: RunningJobs
  /**
   * The rows that are more than their own object's, as they were last told: by the uid of the object, or the key of the group
   * where the workload has none. `undefined` where none was told.
   */
  readonly told: Map<string, WorkloadRow | undefined>
  /** The objects with such a row that changed. */
  readonly touched: Set<string>
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
      const renewed = Array.from(takeTouched(parts), (key) => this.#renew(parts, key))
      // An object and the row that its pods made before it was known share a place: the one goes before the other comes.
      for (const { held, next } of renewed)
        if (held !== undefined && !isSamePlace(held, next)) this.#change(held, undefined)
      for (const { held, next } of renewed) {
        if (held !== next && next !== undefined) this.#change(isSamePlace(held, next) ? held : undefined, next)
      }
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
    if (parts !== undefined && parts.pods.pending + parts.jobs.pending + parts.touched.size > MOST_PENDING)
      this.#settleParts(parts)
  }

  /** Makes the observers of the records. */
  observers(): Observers {
    const whole = () => {
      this.#parts = undefined
      this.#deriving = undefined
    }
    const of = <K extends Kind.WorkloadKind>(kind: K): Observer<RecordOf[K]> => ({
      put: (record, held) => this.#changed(() => this.#put(kind, record, held)),
      gone: (record) => this.#changed(() => this.#gone(kind, record)),
      whole
    })
    const Job: Observer<WorkloadRecord> = {
      put: (job, held) =>
        this.#changed(() => {
          this.#put("Job", job, held)
          this.#parts?.jobs.put(job, held)
        }),
      gone: (job) =>
        this.#changed(() => {
          this.#gone("Job", job)
          this.#parts?.jobs.gone(job)
        }),
      whole
    }
    return {
      Deployment: of("Deployment"),
      StatefulSet: of("StatefulSet"),
      DaemonSet: of("DaemonSet"),
      ReplicaSet: of("ReplicaSet"),
      Job,
      CronJob: of("CronJob"),
      Pod: of("Pod")
    }
  }

  #put(kind: Kind.WorkloadKind, record: AnyRecord, held: AnyRecord | undefined): void {
    const parts = this.#parts
    if (parts === undefined) return
    const { pods, told, touched } = parts
    const heldRow = held === undefined ? undefined : simpleRow(kind, held)
    const isPlaced = held !== undefined && areLinkedAlike(held, record)
    const isComposed =
      pods.group(record.uid) !== undefined || (!isPlaced && told.has(OwnedPods.keyOfPods(kind, record)))
    if (isComposed && !told.has(record.uid)) told.set(record.uid, heldRow)
    if (kind === "CronJob" || told.has(record.uid)) touched.add(record.uid)
    else this.#tell(heldRow, simpleRow(kind, record))
    pods.put(kind, record, held)
  }

  #gone(kind: Kind.WorkloadKind, record: AnyRecord): void {
    const parts = this.#parts
    if (parts === undefined) return
    if (kind === "CronJob" || parts.told.has(record.uid)) parts.touched.add(record.uid)
    else this.#tell(simpleRow(kind, record), undefined)
    parts.pods.gone(kind, record)
  }

  #tell(held: WorkloadRow | undefined, next: WorkloadRow | undefined): void {
    if ((held ?? next) !== undefined) this.#change(held, next)
  }

  *#derive(rows: Array<WorkloadRow>): Generator<undefined, Parts> {
    const records = this.#records()
    const parts: Parts = {
      pods: new OwnedPods(this.#records),
      jobs: new RunningJobs(),
      told: new Map(),
      touched: new Set(records.CronJob?.keys())
    }
    const add = (row: WorkloadRow | undefined) => {
      if (row !== undefined) rows.push(row)
    }
    for (const kind of ["Deployment", "StatefulSet", "DaemonSet"] as const) {
      for (const { row } of records[kind]?.values() ?? []) rows.push(row)
    }
    for (const kind of ["ReplicaSet", "Job"] as const) {
      for (const record of records[kind]?.values() ?? []) {
        add(simpleRow(kind, record))
        parts.pods.take(record)
      }
    }
    for (const job of records.Job?.values() ?? []) parts.jobs.put(job, undefined)
    let derived = 0
    for (const pod of records.Pod?.values() ?? []) {
      add(pod.row)
      parts.pods.take(pod)
      if (++derived % STEP_RECORDS === 0) yield undefined
    }
    this.#compose(parts, rows)
    return parts
  }

  /** Puts the rows that are made of several records beside those of one record, or in their place. */
  #compose(parts: Parts, rows: Array<WorkloadRow>): void {
    const replaced = new Map<WorkloadRow, WorkloadRow>()
    for (const key of takeTouched(parts)) {
      const { held, next } = this.#renew(parts, key)
      if (next === undefined || held === next) continue
      if (held === undefined) rows.push(next)
      else replaced.set(held, next)
    }
    if (replaced.size === 0) return
    for (const [place, row] of rows.entries()) rows[place] = replaced.get(row) ?? row
  }

  /** Makes a row anew that may be more than its object's. **Shape** `held` is the row that was told. */
  #renew({ jobs, pods, told }: Parts, key: string) {
    const group = pods.group(key)
    const found = this.#find(key)
    const simple = found === undefined ? undefined : simpleRow(found.kind, found.record)
    const held = told.has(key) ? told.get(key) : simple
    let next: WorkloadRow | undefined
    if (found === undefined) next = group === undefined ? undefined : WorkloadRows.ofPods(this.#cluster, group)
    else {
      const { kind, record } = found
      const row = kind === "CronJob" ? record.row : (simple ?? (pods.isAlone(key) ? aloneRow(record) : undefined))
      const running = kind === "CronJob" && !isPod(record) ? jobs.of(record) : NO_JOBS
      next = row === undefined ? undefined : WorkloadRows.withPods(row, lackingOf(record), running, group)
    }
    if (next === simple) told.delete(key)
    else told.set(key, next)
    return { held, next }
  }

  /** Finds the object that has a uid. */
  #find(uid: string): Found | undefined {
    const records = this.#records()
    for (const kind of Kind.workloadKinds) {
      const record = records[kind]?.get(uid)
      if (record !== undefined) return { kind, record }
    }
    return undefined
  }
}

type AnyRecord = RecordOf[Kind.WorkloadKind]

interface Found {
  readonly kind: Kind.WorkloadKind
  readonly record: AnyRecord
}

const NO_JOBS: ReadonlyArray<WorkloadRecord> = []

const takeTouched = ({ jobs, pods, touched }: Parts): ReadonlySet<string> => {
  const all = new Set([...touched, ...pods.takeChanged(), ...jobs.takeTouched()])
  touched.clear()
  return all
}

/** The row that an object makes by itself. **Shape** `undefined` for a CronJob, whose Jobs count too, and an owned object of a link kind. */
const simpleRow = (kind: Kind.WorkloadKind, record: AnyRecord): WorkloadRow | undefined =>
  kind === "CronJob" || (Kind.isLink(kind) && record.owner !== undefined) ? undefined : record.row

const isSamePlace = (one: WorkloadRow | undefined, other: WorkloadRow | undefined): boolean =>
  one?.id === other?.id && one?.kind === other?.kind && one?.name === other?.name && one?.namespace === other?.namespace

/** The replicas that a Deployment wants and its ReplicaSets do not have. */
const lackingOf = (record: AnyRecord): number =>
  isPod(record) || record.madeReplicas === undefined ? 0 : record.row.replicas.desired - record.madeReplicas

/** The row of an object with an owner that is a workload itself. */
const aloneRow = (record: AnyRecord): WorkloadRow => (isPod(record) ? bareRow(record) : record.row)
