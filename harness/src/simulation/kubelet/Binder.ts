/**
 * Assigns nodes to pods in clusters without a scheduler.
 *
 * **Limits** considers node selectors, taints, cordons and the node that a DaemonSet names. It spreads pods and ignores
 * resource requests. Tests of scheduling need the real scheduler.
 */
import { healthOf, type NodeView } from "./NodeView.ts"
import type { PodView } from "./PodView.ts"

export interface Binder {
  /** Records the node of a pod. */
  readonly bound: (uid: string, node: string) => void
  readonly gone: (uid: string) => void
  /** Returns the fitting node with the fewest pods, or undefined if no node fits. */
  readonly pick: (pod: PodView, nodes: Iterable<NodeView>) => string | undefined
}

export const make = (): Binder => {
  const placed = new Map<string, string>()
  const load = new Map<string, number>()
  const add = (node: string, count: number): void => {
    load.set(node, (load.get(node) ?? 0) + count)
  }
  const gone = (uid: string): void => {
    const node = placed.get(uid)
    if (node === undefined) return
    placed.delete(uid)
    add(node, -1)
  }
  return {
    bound: (uid, node) => {
      if (placed.get(uid) === node) return
      gone(uid)
      placed.set(uid, node)
      add(node, 1)
    },
    gone,
    pick: (pod, nodes) => {
      let best: { readonly name: string; readonly load: number } | undefined
      for (const node of nodes) {
        const { name } = node.metadata
        const here = load.get(name) ?? 0
        if (takes(node, pod) && (best === undefined || here < best.load)) best = { name, load: here }
      }
      return best?.name
    }
  }
}

/** Returns whether a node accepts a pod. */
const takes = (node: NodeView, pod: PodView): boolean =>
  healthOf(node) === "ready"
  && (node.spec?.unschedulable !== true || tolerates(pod, { key: CORDON, effect: NO_SCHEDULE }))
  && Object.entries(pod.spec.nodeSelector ?? {}).every(([key, value]) => node.metadata.labels?.[key] === value)
  && (node.spec?.taints ?? []).every(
    (taint) => taint.effect === "PreferNoSchedule" || taint.key === NOT_READY || tolerates(pod, taint)
  )
  && isNamed(node, pod)

const CORDON = "node.kubernetes.io/unschedulable"
const NO_SCHEDULE = "NoSchedule"
/** Taint of a new node. Ignored, because the fake kubelet soon removes it. */
const NOT_READY = "node.kubernetes.io/not-ready"

const tolerates = (
  { spec }: PodView,
  taint: { readonly key: string; readonly effect: string; readonly value?: string }
): boolean =>
  (spec.tolerations ?? []).some(
    ({ effect, key, operator, value }) =>
      (effect === undefined || effect === "" || effect === taint.effect)
      && (key === undefined || key === "" ? operator === "Exists" : key === taint.key)
      && (operator === "Exists" || (value ?? "") === (taint.value ?? ""))
  )

/**
 * Returns whether the pod's required node affinity allows the node. The DaemonSet controller sets that affinity to the
 * `metadata.name` of one node.
 */
const isNamed = (node: NodeView, { spec }: PodView): boolean => {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  const named = (terms ?? []).filter(({ matchFields }) => matchFields !== undefined)
  if (named.length === 0) return true
  return named.some(({ matchFields = [] }) =>
    matchFields.every(
      ({ key, operator, values = [] }) =>
        key === "metadata.name" && operator === "In" && values.includes(node.metadata.name)
    )
  )
}
