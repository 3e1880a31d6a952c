/**
 * Schedules pending pods: chooses a node that the pod selects, whose taints it tolerates, and that has enough
 * resources.
 *
 * Among several nodes it chooses the one with the most free resources. There is no preemption, pod affinity or
 * preference.
 *
 * **Source** Kubernetes, `pkg/scheduler`; the messages of its conditions.
 */
import { arrayAt, at, type Json, put, textAt } from "../core/Json.ts"
import * as Resources from "../core/Resources.ts"
import { read, type Stored } from "../core/Stored.ts"
import * as Writes from "../writes/Writes.ts"
import { type Controller, existing, type Turn } from "./Controller.ts"
import { change, withCondition } from "./ControllerWrites.ts"
import { matters, type Node, nodeOf, selects, specOf, untolerated } from "./NodeViews.ts"
import type { Load } from "./PodIndex.ts"
import { type Pod, podOf, type Requests } from "./Views.ts"

const NAME = "default-scheduler"

export const scheduler: Controller = {
  name: "scheduler",
  watches: [
    {
      resource: Resources.pods,
      keys: ({ after, before }, { pods }) => {
        if (after !== undefined && isPending(after)) return [after.key]
        // A removed or finished pod frees resources for pending pods.
        return before !== undefined && podOf(before).node !== "" && (after === undefined || finished(podOf(after)))
          ? pods.unbound()
          : []
      }
    },
    { resource: Resources.nodes, keys: (change, { pods }) => (matters(change) ? pods.unbound() : []) }
  ],
  reconcile: (turn, key) => {
    const stored = existing(turn, Resources.pods, key)
    if (stored === undefined || !isPending(stored)) return
    const object = read(stored)
    if (arrayAt(object, "spec", "schedulingGates").length > 0) return
    const spec = specOf(object)
    const pod = podOf(stored)
    const nodes = turn.kernel.store.list(Resources.nodes, "").map(nodeOf)
    const tolerations = arrayAt(spec, "tolerations")
    const problems = new Map<string, number>()
    let best: { readonly node: Node; readonly score: number } | undefined
    for (const node of nodes) {
      const problem = problemOf(turn, node, pod, () => selects(spec, node), tolerations)
      if (problem === undefined) {
        const score = fullness(node, turn.pods.loadOf(node.name), pod.requests)
        if (best === undefined || score < best.score) best = { node, score }
      } else problems.set(problem, (problems.get(problem) ?? 0) + 1)
    }
    if (best === undefined) reportUnschedulable(turn, stored, nodes.length, problems)
    else Writes.bind(turn.kernel, stored, best.node.name, { manager: "kube-scheduler", dryRun: false })
  }
}

const isPending = (stored: Stored): boolean => {
  const pod = podOf(stored)
  return (
    pod.node === "" && !pod.ending && pod.phase === "Pending" && (stored.fields["spec.schedulerName"] ?? NAME) === NAME
  )
}

const finished = ({ phase }: Pod): boolean => phase === "Succeeded" || phase === "Failed"

const problemOf = (
  { pods }: Turn,
  node: Node,
  pod: Pod,
  isSelected: () => boolean,
  tolerations: ReadonlyArray<Json>
): string | undefined => {
  if (node.unschedulable && !toleratesUnschedulable(tolerations)) return "node(s) were unschedulable"
  if (untolerated(tolerations, node, ["NoSchedule", "NoExecute"]) !== undefined) {
    return "node(s) had untolerated taint(s)"
  }
  if (!isSelected()) return "node(s) didn't match Pod's node affinity/selector"
  const load = pods.loadOf(node.name)
  if ((load?.pods.size ?? 0) + 1 > (node.allocatable.get("pods") ?? 0) / 1_000) return "Too many pods"
  const lacking = [...pod.requests].find(
    ([name, milli]) => milli > 0 && (load?.requests.get(name) ?? 0) + milli > (node.allocatable.get(name) ?? 0)
  )
  return lacking === undefined ? undefined : `Insufficient ${lacking[0]}`
}

const toleratesUnschedulable = (tolerations: ReadonlyArray<Json>): boolean =>
  tolerations.some(
    (one) =>
      textAt(one, "operator") === "Exists" && ["", "node.kubernetes.io/unschedulable"].includes(textAt(one, "key"))
  )

const SCORED = ["cpu", "memory"]

/** Utilization of a node with the pod added: the sum of its cpu, memory and pod fractions. */
const fullness = (node: Node, load: Load | undefined, requests: Requests): number => {
  const parts = SCORED.map((name) => {
    const total = node.allocatable.get(name) ?? 0
    return total === 0 ? 0 : ((load?.requests.get(name) ?? 0) + (requests.get(name) ?? 0)) / total
  })
  const pods = (load?.pods.size ?? 0) / Math.max(1, (node.allocatable.get("pods") ?? 0) / 1_000)
  return parts.reduce((total, part) => total + part, pods)
}

const reportUnschedulable = (
  turn: Turn,
  stored: Stored,
  nodes: number,
  problems: ReadonlyMap<string, number>
): void => {
  const none = `0/${nodes} nodes are available:`
  const listed = [...problems].map(([problem, count]) => `${count} ${problem}`).toSorted()
  const message =
    nodes === 0
      ? "no nodes available to schedule pods"
      : `${none} ${listed.join(", ")}. no new claims to deallocate, preemption: ${none} ${nodes} Preemption is not helpful for scheduling.`
  const generation = at(read(stored), "metadata", "generation")
  change(
    turn,
    Resources.pods,
    stored,
    (object) =>
      put(
        object,
        ["status", "conditions"],
        withCondition(
          turn,
          arrayAt(object, "status", "conditions"),
          { type: "PodScheduled", status: "False", reason: "Unschedulable", message },
          { lastProbeTime: null, ...(generation === undefined ? {} : { observedGeneration: generation }) }
        )
      ),
    "status"
  )
}
