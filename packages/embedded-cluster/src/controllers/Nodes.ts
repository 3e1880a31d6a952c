/**
 * Taints nodes by their conditions, and deletes the pods of deleted nodes.
 *
 * **Limits** heartbeats are not checked: a node whose kubelet stops reporting keeps its last conditions.
 *
 * **Source** Kubernetes, `pkg/controller/nodelifecycle` and `pkg/controller/podgc`.
 */
import { arrayAt, type Json, type JsonObject, put, textAt } from "../core/Json.ts"
import { timestamp } from "../core/Kernel.ts"
import * as Resources from "../core/Resources.ts"
import type { Stored } from "../core/Stored.ts"
import { type Controller, existing, ownKey } from "./Controller.ts"
import { change, remove } from "./ControllerWrites.ts"
import { matters, type Node, nodeOf } from "./NodeViews.ts"

const NOT_READY = "node.kubernetes.io/not-ready"
const UNREACHABLE = "node.kubernetes.io/unreachable"
const UNSCHEDULABLE = "node.kubernetes.io/unschedulable"
const OURS = new Set([NOT_READY, UNREACHABLE, UNSCHEDULABLE])

export const nodes: Controller = {
  name: "node",
  watches: [{ resource: Resources.nodes, keys: (node, cluster) => (matters(node) ? ownKey(node, cluster) : []) }],
  reconcile: (turn, key) => {
    const stored = existing(turn, Resources.nodes, key)
    if (stored === undefined) {
      for (const pod of [...(turn.pods.loadOf(key)?.pods.values() ?? [])]) {
        remove(turn, Resources.pods, pod, { graceSeconds: 0 })
        if (!turn.hasTime()) {
          turn.again()
          return
        }
      }
      return
    }
    const wanted = taintsFor(nodeOf(stored))
    if (sameAs(stored, wanted)) return
    const now = timestamp(turn.kernel.nowMs())
    change(turn, Resources.nodes, stored, (object) => {
      const present = arrayAt(object, "spec", "taints")
      const remaining = present.filter(
        (taint) => !OURS.has(textAt(taint, "key")) || wanted.some((one) => isSame(one, taint))
      )
      const added = wanted.filter((one) => !present.some((taint) => isSame(one, taint)))
      const all = [...remaining, ...added.map((taint) => ({ ...taint, timeAdded: now }))]
      return put(object, ["spec", "taints"], all.length === 0 ? undefined : all)
    })
  }
}

/** Taints that a node should have. A node that has not reported yet keeps its initial taint. */
const taintsFor = ({ ready, unschedulable }: Node): ReadonlyArray<JsonObject> => {
  const taint = (key: string, effect: string): JsonObject => ({ key, effect })
  const readiness =
    ready === "True"
      ? []
      : ready === ""
        ? [taint(NOT_READY, "NoSchedule")]
        : [
            taint(ready === "False" ? NOT_READY : UNREACHABLE, "NoSchedule"),
            taint(ready === "False" ? NOT_READY : UNREACHABLE, "NoExecute")
          ]
  return unschedulable ? [...readiness, taint(UNSCHEDULABLE, "NoSchedule")] : readiness
}

const isSame = (left: Json, right: Json): boolean =>
  textAt(left, "key") === textAt(right, "key") && textAt(left, "effect") === textAt(right, "effect")

const sameAs = (stored: Stored, wanted: ReadonlyArray<JsonObject>): boolean => {
  const present = nodeOf(stored).taints.filter(({ key }) => OURS.has(key))
  return present.length === wanted.length && wanted.every((one) => present.some((taint) => isSame(one, { ...taint })))
}
