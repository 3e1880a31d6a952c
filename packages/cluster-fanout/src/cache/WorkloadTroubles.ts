/**
 * Indexes the problems of pods by workload. Only pods with a problem have an entry.
 */
import type { PodTrouble } from "../projection/PodTrouble.ts"

const NONE: ReadonlyMap<string, PodTrouble> = new Map()

export class WorkloadTroubles {
  readonly #changed: (key: string) => void
  /** Problems by the workload's key, then by the pod's uid; never empty. */
  readonly #byWorkload = new Map<string, Map<string, PodTrouble>>()
  /** The workload's key of each pod. */
  readonly #keyOf = new Map<string, string>()

  /** Calls `changed` with the key of each workload whose problems change. */
  constructor(changed: (key: string) => void) {
    this.#changed = changed
  }

  /** Returns whether a pod has an entry. */
  has(pod: string): boolean {
    return this.#keyOf.has(pod)
  }

  /** Returns whether a pod of the workload has an entry. */
  isIn(key: string): boolean {
    return this.#byWorkload.has(key)
  }

  /** Returns the problems of a workload's pods by the pod's uid. */
  of(key: string): ReadonlyMap<string, PodTrouble> {
    return this.#byWorkload.get(key) ?? NONE
  }

  put(key: string, pod: string, trouble: PodTrouble): void {
    if (this.#keyOf.get(pod) !== key) this.delete(pod)
    const troubles = this.#byWorkload.get(key)
    if (isSame(troubles?.get(pod), trouble)) return
    if (troubles === undefined) this.#byWorkload.set(key, new Map([[pod, trouble]]))
    else troubles.set(pod, trouble)
    this.#keyOf.set(pod, key)
    this.#changed(key)
  }

  delete(pod: string): void {
    const key = this.#keyOf.get(pod)
    if (key === undefined) return
    this.#keyOf.delete(pod)
    const troubles = this.#byWorkload.get(key)
    troubles?.delete(pod)
    if (troubles?.size === 0) this.#byWorkload.delete(key)
    this.#changed(key)
  }
}

const isSame = (left: PodTrouble | undefined, right: PodTrouble): boolean =>
  left !== undefined && left.level === right.level && left.reason === right.reason && left.since === right.since
