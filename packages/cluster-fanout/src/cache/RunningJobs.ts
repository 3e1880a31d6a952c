/**
 * The unfinished Jobs of one cluster by owner. A CronJob's figures are those of its Jobs.
 */
import type { WorkloadRecord } from "../projection/WorkloadProjection.ts"

const NONE: ReadonlyMap<string, WorkloadRecord> = new Map()

export class RunningJobs {
  /** By the owner's namespace, uid and name, then by the Job's uid. */
  readonly #byOwner = new Map<string, Map<string, WorkloadRecord>>()
  readonly #touched = new Set<string>()

  put(job: WorkloadRecord, previous: WorkloadRecord | undefined): void {
    if (previous !== undefined) this.gone(previous)
    const key = keyOf(job)
    if (key === undefined || hasEnded(job)) return
    const jobs = this.#byOwner.get(key)
    if (jobs === undefined) this.#byOwner.set(key, new Map([[job.uid, job]]))
    else jobs.set(job.uid, job)
    this.#touch(job)
  }

  gone(job: WorkloadRecord): void {
    const key = keyOf(job)
    if (key === undefined) return
    const jobs = this.#byOwner.get(key)
    if (jobs?.delete(job.uid) !== true) return
    if (jobs.size === 0) this.#byOwner.delete(key)
    this.#touch(job)
  }

  /** Marks a CronJob as changed. */
  touch(cronJob: string): void {
    this.#touched.add(cronJob)
  }

  /** Number of changed owners that have not been taken yet. */
  get pending(): number {
    return this.#touched.size
  }

  /** Returns the uids of owners that changed, or whose Jobs did, since the last call. */
  takeTouched(): ReadonlyArray<string> {
    const touched = [...this.#touched]
    this.#touched.clear()
    return touched
  }

  /** Returns the running Jobs of a CronJob, in its own namespace only. */
  of({ row, uid }: WorkloadRecord): ReadonlyArray<WorkloadRecord> {
    return [...(this.#byOwner.get(`${row.namespace}/${uid}/${row.name}`) ?? NONE).values()]
  }

  #touch({ owner }: WorkloadRecord): void {
    if (owner !== undefined) this.#touched.add(owner.uid)
  }
}

const keyOf = ({ owner, row }: WorkloadRecord): string | undefined =>
  owner === undefined ? undefined : `${row.namespace}/${owner.uid}/${owner.name}`

/** Returns whether a Job has completed or failed. */
export const hasEnded = ({ row }: WorkloadRecord): boolean => row.status === "completed" || row.status === "failed"
