/**
 * Passes a cluster's pod changes to its open hours. A complete list is applied in steps.
 *
 * Applying ten thousand pods at once would block the event loop for tens of milliseconds.
 */
import type { PodProjection } from "@quarterdeck/cluster-fanout"
import type { PodObservations } from "./PodObservations.ts"

type PodRecord = PodProjection.PodRecord
type Pods = ReadonlyMap<string, PodRecord>

interface Parts {
  /** The hours that may still change. */
  readonly hours: () => ReadonlyArray<{ readonly pods: PodObservations }>
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number
  /** Finds the workload of a pod while the pod's owners are known. */
  readonly settle: (pods: PodObservations, uid: string) => void
}

/** Number of pods per step. A step takes well under a millisecond. */
const STEP_PODS = 128

export class PodIntake {
  readonly #parts: Parts
  /** The list being applied, which changes in place, and its remaining pods. */
  #left: { readonly pods: Pods; readonly remaining: Iterator<PodRecord> } | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** True if the last complete list is fully applied. */
  get isDone(): boolean {
    return this.#left === undefined
  }

  put(pod: PodRecord, previous: PodRecord | undefined): void {
    if (previous !== undefined) this.#putPrevious(previous)
    const { hours, now, settle } = this.#parts
    for (const { pods } of hours()) {
      pods.put(pod, now())
      settle(pods, pod.uid)
    }
  }

  gone(pod: PodRecord): void {
    this.#putPrevious(pod)
    const { hours, now, settle } = this.#parts
    for (const { pods } of hours()) {
      settle(pods, pod.uid)
      pods.gone(pod.uid, now())
    }
  }

  /** Starts applying a complete list, and applies its first step. */
  whole(pods: Pods): void {
    while (!this.isDone) this.step()
    this.#left = { pods, remaining: pods.values() }
    this.step()
  }

  /** Applies the next step of the list. After the last one, pods missing from it are deleted. */
  step(): void {
    if (this.#left === undefined) return
    const { pods: listed, remaining } = this.#left
    const { now } = this.#parts
    const hours = this.#parts.hours()
    for (let taken = 0; taken < STEP_PODS; taken++) {
      const next = remaining.next()
      if (next.done === true) {
        for (const { pods } of hours) pods.keepOnly(listed, now())
        this.#left = undefined
        return
      }
      for (const { pods } of hours) pods.put(next.value, now())
    }
  }

  /**
   * Applies the state that a pod had before a change, if a complete list is still being applied. The list no longer
   * contains that state, but the pod had it until now.
   */
  #putPrevious(previous: PodRecord): void {
    if (this.isDone) return
    for (const { pods } of this.#parts.hours()) pods.put(previous, this.#parts.now())
  }
}
