/**
 * The Jobs of one cluster that have not ended, by what owns them: a CronJob's numbers are theirs.
 */
import type { WorkloadRecord } from "../projection/WorkloadProjection.ts"

const NONE: ReadonlyMap<string, WorkloadRecord> = new Map()

export class RunningJobs {
  /** By the owner's namespace, uid and name, then by uid. */
  readonly #byOwner = new Map<string, Map<string, WorkloadRecord>>()
  readonly #touched = new Set<string>()

  put(job: WorkloadRecord, held: WorkloadRecord | undefined): void {
    if (held !== undefined) this.gone(held)
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

  /** Says that a CronJob itself changed. */
  touch(cronJob: string): void {
    this.#touched.add(cronJob)
  }

  /** How many owners were touched since they were last taken. */
  get pending(): number {
    return this.#touched.size
  }

  /** Gives the uids of owners that changed, or whose Jobs did, since this was last asked. */
  takeTouched(): ReadonlyArray<string> {
    const touched = [...this.#touched]
    this.#touched.clear()
    return touched
  }

  /** Gives what runs of a CronJob. **Shape** one of another namespace owns nothing here. */
  of({ row, uid }: WorkloadRecord): ReadonlyArray<WorkloadRecord> {
    return [...(this.#byOwner.get(`${row.namespace}/${uid}/${row.name}`) ?? NONE).values()]
  }

  #touch({ owner }: WorkloadRecord): void {
    if (owner !== undefined) this.#touched.add(owner.uid)
  }
}

const keyOf = ({ owner, row }: WorkloadRecord): string | undefined =>
  owner === undefined ? undefined : `${row.namespace}/${owner.uid}/${owner.name}`

const hasEnded = ({ row }: WorkloadRecord): boolean => row.status === "completed" || row.status === "failed"
