/**
 * Takes in what a cluster tells of its pods; all of them told at once some at a time.
 *
 * Ten thousand in one go take tens of milliseconds, in which nobody else is served.
 */
import type { PodProjection } from "@quarterdeck/cluster-fanout"
import type { PodObservations } from "./PodObservations.ts"

type PodRecord = PodProjection.PodRecord
type Pods = ReadonlyMap<string, PodRecord>

interface Parts {
  /** The hours that may still learn something. */
  readonly hours: () => ReadonlyArray<{ readonly pods: PodObservations }>
  /** Tells the time, in milliseconds since the epoch. */
  readonly now: () => number
  /** Finds the workload of a pod while what stands between them is known. */
  readonly settle: (pods: PodObservations, uid: string) => void
}

/** Well under a millisecond's work. */
const STEP_PODS = 128

export class PodIntake {
  readonly #parts: Parts
  /** All that were told, which change in place, and those of them that are not in yet. */
  #left: { readonly pods: Pods; readonly remaining: Iterator<PodRecord> } | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Whether all that was told is in. */
  get isDone(): boolean {
    return this.#left === undefined
  }

  put(pod: PodRecord, held: PodRecord | undefined): void {
    if (held !== undefined) this.#putHeld(held)
    const { hours, now, settle } = this.#parts
    for (const { pods } of hours()) {
      pods.put(pod, now())
      settle(pods, pod.uid)
    }
  }

  gone(pod: PodRecord): void {
    this.#putHeld(pod)
    const { hours, now, settle } = this.#parts
    for (const { pods } of hours()) {
      settle(pods, pod.uid)
      pods.gone(pod.uid, now())
    }
  }

  /** Begins with all that are there, and takes in the first of them. */
  whole(pods: Pods): void {
    while (!this.isDone) this.step()
    this.#left = { pods, remaining: pods.values() }
    this.step()
  }

  /** Takes in some more. Once all are in, others are gone. */
  step(): void {
    if (this.#left === undefined) return
    const { pods: told, remaining } = this.#left
    const { now } = this.#parts
    const hours = this.#parts.hours()
    for (let taken = 0; taken < STEP_PODS; taken++) {
      const next = remaining.next()
      if (next.done === true) {
        for (const { pods } of hours) pods.keepOnly(told, now())
        this.#left = undefined
        return
      }
      for (const { pods } of hours) pods.put(next.value, now())
    }
  }

  /** What was told of a pod before it changed may not be in yet, and counts for the time until now. */
  #putHeld(held: PodRecord): void {
    if (this.isDone) return
    for (const { pods } of this.#parts.hours()) pods.put(held, this.#parts.now())
  }
}
