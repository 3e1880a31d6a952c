/**
 * Number of pods in each namespace of a cluster, their problems and their total requests, updated with each change.
 */
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { ProvenLabels } from "@quarterdeck/targeting/NamespaceFilter"
import { isFinished, type PodRecord } from "../projection/PodProjection.ts"
import type { Observer } from "./KindTable.ts"
import { bounded } from "../projection/Quantity.ts"

/** Fields of a pod that are counted. */
export type CountedPod = Pick<
  PodRecord,
  "namespace" | "phase" | "cpuRequestMillis" | "memoryRequestBytes" | "terminating" | "trouble"
>

export class PodTotals implements Observer<CountedPod> {
  #byNamespace = new Map<string, number>()
  /** Number of blocked pods by namespace, then by reason. */
  #blocked = new Map<string, Map<string, number>>()
  // Exact integers: amounts are unchecked input, and subtracting a pod must restore the earlier sum.
  #cpuRequestMillis = 0n
  #memoryRequestBytes = 0n

  put(pod: CountedPod, previous: CountedPod | undefined): void {
    if (previous !== undefined) this.#count(previous, -1)
    this.#count(pod, 1)
  }

  gone(pod: CountedPod): void {
    this.#count(pod, -1)
  }

  whole(pods: ReadonlyMap<string, CountedPod>): void {
    this.#byNamespace = new Map()
    this.#blocked = new Map()
    this.#cpuRequestMillis = 0n
    this.#memoryRequestBytes = 0n
    for (const pod of pods.values()) this.#count(pod, 1)
  }

  /**
   * Returns the total requests of all pods, as the scheduler counts them: without finished pods, with pending ones.
   *
   * **Units** thousandths of a core, bytes; at most 2^53 - 1.
   */
  requests(): { readonly cpuRequestMillis: number; readonly memoryRequestBytes: number } {
    return {
      cpuRequestMillis: bounded(this.#cpuRequestMillis),
      memoryRequestBytes: bounded(this.#memoryRequestBytes)
    }
  }

  /** Counts the pods of the matching namespaces. **Limits** linear in the namespaces. */
  countIn(namespaces: NamespaceFilter.NamespaceFilter, labels: (namespace: string) => ProvenLabels): number {
    let count = 0
    for (const [name, pods] of this.#byNamespace) {
      if (NamespaceFilter.matches(namespaces, name, labels(name))) count += pods
    }
    return count
  }

  /** Counts the pods that need intervention by their reason. **Limits** linear in the namespaces with such pods. */
  blockedIn(
    namespaces: NamespaceFilter.NamespaceFilter,
    labels: (namespace: string) => ProvenLabels
  ): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const [name, reasons] of this.#blocked) {
      if (!NamespaceFilter.matches(namespaces, name, labels(name))) continue
      for (const [reason, count] of reasons) counts.set(reason, (counts.get(reason) ?? 0) + count)
    }
    return counts
  }

  #countBlocked({ namespace, terminating, trouble }: CountedPod, times: 1 | -1): void {
    if (trouble?.level !== "blocked" || terminating) return
    const reasons = this.#blocked.get(namespace) ?? new Map<string, number>()
    const count = (reasons.get(trouble.reason) ?? 0) + times
    if (count === 0) reasons.delete(trouble.reason)
    else reasons.set(trouble.reason, count)
    if (reasons.size === 0) this.#blocked.delete(namespace)
    else this.#blocked.set(namespace, reasons)
  }

  #count(pod: CountedPod, times: 1 | -1): void {
    const count = (this.#byNamespace.get(pod.namespace) ?? 0) + times
    if (count === 0) this.#byNamespace.delete(pod.namespace)
    else this.#byNamespace.set(pod.namespace, count)
    this.#countBlocked(pod, times)
    if (isFinished(pod)) return
    this.#cpuRequestMillis += BigInt(times * pod.cpuRequestMillis)
    this.#memoryRequestBytes += BigInt(times * pod.memoryRequestBytes)
  }
}
