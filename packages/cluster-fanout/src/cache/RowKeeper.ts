/**
 * Makes the workload rows of one cluster from its projected objects, and updates them with each change.
 *
 * A row belongs to the outermost known owner of pods. An owned ReplicaSet or Job has no row, a CronJob's figures are
 * those of its Jobs, and a custom kind is known only by its pods. The order in which objects arrive does not affect the
 * rows.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Observer } from "./KindTable.ts"
import { areLinkedAlike, isPod, OwnedPods, type Records } from "./OwnedPods.ts"
import type { RowChange, RowSource } from "./RowSet.ts"
import { RunningJobs } from "./RunningJobs.ts"
import * as WorkloadRows from "./WorkloadRows.ts"
import * as WorkloadTrouble from "./WorkloadTrouble.ts"
import * as Kind from "../projection/Kind.ts"
import { bareRow } from "../projection/PodProjection.ts"
import type { RecordOf } from "../projection/Projection.ts"
import type { WorkloadRow } from "../projection/Row.ts"
import type { WorkloadRecord } from "../projection/WorkloadProjection.ts"

/** Observers of the records of each kind. */
export type Observers = { readonly [K in Kind.WorkloadKind]: Observer<RecordOf[K]> }

/** Changed rows that may wait before they are reported. **Units** groups and CronJobs, some 140 bytes each. */
const MAX_PENDING = 4_096

/** Records processed in one step: well under a millisecond's work. */
const STEP_RECORDS = 256

/**
 * Attempts to derive all rows in steps. A change of the cluster ends an attempt. After the last attempt, all rows are
 * derived in one step.
 */
const MAX_ATTEMPTS = 4

/** State from which rows of several records are made. */
interface Parts {
  readonly pods: OwnedPods
  readonly jobs: RunningJobs
  /**
   * Rows that combine several records, as last reported.
   *
   * **Shape** by the object's uid, or by the group key if the workload has no object; `undefined` if there was no row.
   */
  readonly reported: Map<string, WorkloadRow | undefined>
  /** Uids of changed objects whose row combines several records. */
  readonly touched: Set<string>
}

/** Rows that are being derived in steps. */
interface Deriving {
  readonly rows: Array<WorkloadRow>
  readonly steps: Iterator<undefined, Parts>
  /** Set once all steps are done. */
  parts: Parts | undefined
}

export class RowKeeper implements RowSource<WorkloadRow> {
  readonly #cluster: ClusterName
  readonly #records: () => Records
  readonly #change: RowChange<WorkloadRow>
  /** `undefined` after a kind was read again: all rows are derived at the next use. */
  #parts: Parts | undefined
  #deriving: Deriving | undefined
  /** Attempts since all rows were last derived. */
  #attempts = 0

  /** Makes the keeper. `records` returns the current records, including the change being reported. */
  constructor(cluster: ClusterName, records: () => Records, change: RowChange<WorkloadRow>) {
    this.#cluster = cluster
    this.#records = records
    this.#change = change
  }

  /**
   * Reports the pending changes of rows made from several records.
   *
   * **Shape** if all rows had to be derived again, returns them all and reports no change; otherwise returns
   * `undefined`.
   *
   * **Limits** linear in the groups that changed; in all objects after a kind was read again.
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
    if (this.#deriving === undefined && ++this.#attempts > MAX_ATTEMPTS) return false
    return this.#advance((this.#deriving ??= this.#begin()))
  }

  #begin(): Deriving {
    const rows: Array<WorkloadRow> = []
    return { rows, steps: this.#derive(rows), parts: undefined }
  }

  /** Performs one step. Returns whether more remain. */
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
      // An object's row takes the position of the row that its pods made before. Remove the old row before adding the
      // new one.
      for (const { previous, next } of renewed)
        if (previous !== undefined && !isSamePlace(previous, next)) this.#change(previous, undefined)
      for (const { previous, next } of renewed) {
        if (previous !== next && next !== undefined)
          this.#change(isSamePlace(previous, next) ? previous : undefined, next)
      }
    })
  }

  /** Applies a change. After a defect, all rows are derived again at the next use. */
  #attempt(change: () => void): void {
    try {
      change()
    } catch (defect) {
      this.#parts = undefined
      throw defect
    }
  }

  /**
   * Applies a change, and reports pending changes when too many have collected, because the next request may come much
   * later.
   */
  #changed(change: () => void): void {
    this.#deriving = undefined
    this.#attempt(change)
    const parts = this.#parts
    if (parts !== undefined && parts.pods.pending + parts.jobs.pending + parts.touched.size > MAX_PENDING)
      this.#settleParts(parts)
  }

  observers(): Observers {
    const whole = () => {
      this.#parts = undefined
      this.#deriving = undefined
    }
    const of = <K extends Kind.WorkloadKind>(kind: K): Observer<RecordOf[K]> => ({
      put: (record, previous) => this.#changed(() => this.#put(kind, record, previous)),
      gone: (record) => this.#changed(() => this.#gone(kind, record)),
      whole
    })
    const Job: Observer<WorkloadRecord> = {
      put: (job, previous) =>
        this.#changed(() => {
          this.#put("Job", job, previous)
          this.#parts?.jobs.put(job, previous)
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

  #put(kind: Kind.WorkloadKind, record: AnyRecord, previous: AnyRecord | undefined): void {
    const parts = this.#parts
    if (parts === undefined) return
    const { pods, reported, touched } = parts
    const previousRow = previous === undefined ? undefined : simpleRow(kind, previous)
    const isPlaced = previous !== undefined && areLinkedAlike(previous, record)
    const isComposed =
      pods.group(record.uid) !== undefined
      || pods.isTroubled(record.uid)
      || (!isPlaced && reported.has(OwnedPods.keyOfPods(kind, record)))
    if (isComposed && !reported.has(record.uid)) reported.set(record.uid, previousRow)
    if (kind === "CronJob" || reported.has(record.uid)) touched.add(record.uid)
    else this.#report(previousRow, simpleRow(kind, record))
    pods.put(kind, record, previous)
  }

  #gone(kind: Kind.WorkloadKind, record: AnyRecord): void {
    const parts = this.#parts
    if (parts === undefined) return
    if (kind === "CronJob" || parts.reported.has(record.uid)) parts.touched.add(record.uid)
    else this.#report(simpleRow(kind, record), undefined)
    parts.pods.gone(kind, record)
  }

  #report(previous: WorkloadRow | undefined, next: WorkloadRow | undefined): void {
    if ((previous ?? next) !== undefined) this.#change(previous, next)
  }

  *#derive(rows: Array<WorkloadRow>): Generator<undefined, Parts> {
    const records = this.#records()
    const parts: Parts = {
      pods: new OwnedPods(this.#records),
      jobs: new RunningJobs(),
      reported: new Map(),
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

  /** Adds the rows that are made from several records, and replaces rows of single records with them. */
  #compose(parts: Parts, rows: Array<WorkloadRow>): void {
    const replaced = new Map<WorkloadRow, WorkloadRow>()
    for (const key of takeTouched(parts)) {
      const { previous, next } = this.#renew(parts, key)
      if (next === undefined || previous === next) continue
      if (previous === undefined) rows.push(next)
      else replaced.set(previous, next)
    }
    if (replaced.size === 0) return
    for (const [place, row] of rows.entries()) rows[place] = replaced.get(row) ?? row
  }

  /** Makes a row again that may combine several records. **Shape** `previous` is the row as last reported. */
  #renew({ jobs, pods, reported }: Parts, key: string) {
    const group = pods.group(key)
    const found = this.#find(key)
    const simple = found === undefined ? undefined : simpleRow(found.kind, found.record)
    const previous = reported.has(key) ? reported.get(key) : simple
    let next: WorkloadRow | undefined
    if (found === undefined) next = group === undefined ? undefined : WorkloadRows.ofPods(this.#cluster, group)
    else {
      const { kind, record } = found
      const row = kind === "CronJob" ? record.row : (simple ?? (pods.isAlone(key) ? aloneRow(record) : undefined))
      const running = kind === "CronJob" && !isPod(record) ? jobs.of(record) : NO_JOBS
      const whole = row === undefined ? undefined : WorkloadRows.withPods(row, lackingOf(record), running, group)
      next = whole === undefined ? undefined : WorkloadTrouble.withTroubles(whole, pods.troubles(key))
    }
    if (next === simple) reported.delete(key)
    else reported.set(key, next)
    return { previous, next }
  }

  /** Finds the object with a uid. */
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

/**
 * Returns the row that an object makes by itself. **Shape** `undefined` for a CronJob, whose Jobs count too, and for an
 * owned ReplicaSet, Job or pod.
 */
const simpleRow = (kind: Kind.WorkloadKind, record: AnyRecord): WorkloadRow | undefined =>
  kind === "CronJob" || (Kind.isLink(kind) && record.owner !== undefined) ? undefined : record.row

const isSamePlace = (left: WorkloadRow | undefined, right: WorkloadRow | undefined): boolean =>
  left?.id === right?.id
  && left?.kind === right?.kind
  && left?.name === right?.name
  && left?.namespace === right?.namespace

/** Returns the number of replicas that a Deployment wants and its ReplicaSets do not have. */
const lackingOf = (record: AnyRecord): number =>
  isPod(record) || record.madeReplicas === undefined ? 0 : record.row.replicas.desired - record.madeReplicas

/** Returns the row of an owned object that is a workload itself. */
const aloneRow = (record: AnyRecord): WorkloadRow => (isPod(record) ? bareRow(record) : record.row)
