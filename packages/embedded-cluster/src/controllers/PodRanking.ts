/**
 * The order in which a workload deletes its pods when it scales down.
 *
 * **Source** Kubernetes, `pkg/controller/controller_utils.go`, `ActivePodsWithRanks`.
 */
import type { Pod } from "./Views.ts"

const PHASES = new Map([
  ["Pending", 0],
  ["Unknown", 1],
  ["Running", 2]
])

/**
 * Sorts pods by their deletion order: without a node, not running, not ready, low deletion cost, on a node with more
 * pods, recently ready.
 */
export const byDeletionOrder = (pods: ReadonlyArray<Pod>): ReadonlyArray<Pod> => {
  const crowd = new Map<string, number>()
  for (const { node } of pods) crowd.set(node, (crowd.get(node) ?? 0) + 1)
  const marks = (pod: Pod): ReadonlyArray<number> => [
    pod.node === "" ? 0 : 1,
    PHASES.get(pod.phase) ?? 0,
    pod.ready ? 1 : 0,
    pod.deletionCost,
    -(crowd.get(pod.node) ?? 0),
    // Pods that became ready recently, restarted often or are young come first.
    pod.ready ? -pod.readySinceMs : 0,
    -pod.restarts,
    -pod.createdMs
  ]
  return [...pods]
    .map((pod) => ({ pod, marks: marks(pod) }))
    .toSorted((left, right) => compare(left.marks, right.marks))
    .map(({ pod }) => pod)
}

const compare = (left: ReadonlyArray<number>, right: ReadonlyArray<number>): number => {
  for (const [index, mark] of left.entries()) {
    const difference = mark - (right[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
