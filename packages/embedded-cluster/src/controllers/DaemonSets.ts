/**
 * Runs one pod of each DaemonSet on every eligible node.
 *
 * **Limits** an update deletes the old pod before it creates the new one: `maxSurge` counts as `maxUnavailable`.
 *
 * **Source** Kubernetes, `pkg/controller/daemon`.
 */
import { arrayAt, at, type Json, type JsonObject, numberAt, objectAt, put, textAt } from "../core/Json.ts"
import { oncePer } from "../core/OncePer.ts"
import * as Resources from "../core/Resources.ts"
import { read, type Stored } from "../core/Stored.ts"
import { TEMPLATE_GENERATION } from "../writes/Defaults.ts"
import { type Controller, existing, ownKey, type Turn } from "./Controller.ts"
import { controllerReference, create, nonZero, remove, writeStatus } from "./ControllerWrites.ts"
import { matters, type Node, nodeOf, selects, untolerated } from "./NodeViews.ts"
import { claim, podsOf } from "./OwnedPods.ts"
import { waitForReadiness } from "./ReplicaSets.ts"
import * as Revisions from "./Revisions.ts"
import * as Rollout from "./Rollout.ts"
import { nameStem, podFrom } from "./Templates.ts"
import { isAvailable, objectOf, type Pod } from "./Views.ts"

const HASH = "controller-revision-hash"

interface Work {
  readonly turn: Turn
  readonly stored: Stored
  readonly object: JsonObject
  readonly update: Revisions.Revision
  readonly nodes: ReadonlyArray<Node>
  /** Nodes that should run a pod. */
  readonly chosen: ReadonlyArray<Node>
  readonly pods: ReadonlyMap<string, ReadonlyArray<Pod>>
}

export const daemonSets: Controller = {
  name: "daemonset",
  watches: [
    { resource: Resources.daemonSets, keys: ownKey },
    podsOf(Resources.daemonSets),
    {
      resource: Resources.nodes,
      keys: (change, { kernel }) =>
        matters(change) ? kernel.store.list(Resources.daemonSets, "").map(({ key }) => key) : []
    }
  ],
  reconcile: (turn, key) => {
    const stored = existing(turn, Resources.daemonSets, key)
    if (stored === undefined) return
    const object = objectOf(stored)
    const update = Revisions.ensure(turn, Resources.daemonSets, stored, HASH)
    if (update === undefined) return
    const nodes = turn.kernel.store.list(Resources.nodes, "").map(nodeOf)
    const spec = objectAt(object, "spec", "template", "spec")
    const tolerations = [...arrayAt(spec, "tolerations"), ...TOLERATIONS]
    const chosen = nodes.filter(
      (node) => selects(spec, node) && untolerated(tolerations, node, ["NoSchedule", "NoExecute"]) === undefined
    )
    const work: Work = {
      turn,
      stored,
      object,
      update,
      nodes,
      chosen,
      pods: byNode(claim(turn, Resources.daemonSets, stored))
    }
    if (at(object, "metadata", "deletionTimestamp") === undefined) {
      placePods(work, tolerations)
      replaceOld(work)
    }
    updateStatus(work)
    const used = new Set([...work.pods.values()].flat().map(hashIn))
    Revisions.prune(turn, stored, HASH, ({ hash }) => hash === update.hash || used.has(hash))
  }
}

const hashIn = (pod: Pod): string => pod.stored.labels[HASH] ?? ""

const byNode = (pods: ReadonlyArray<Pod>): ReadonlyMap<string, ReadonlyArray<Pod>> => {
  const found = new Map<string, Array<Pod>>()
  for (const pod of pods) {
    const name = pod.node === "" ? targetOf(pod.stored) : pod.node
    found.set(name, [...(found.get(name) ?? []), pod])
  }
  return found
}

/** Node that a pod was made for, from its required affinity. */
const targetOf = oncePer((stored: Stored): string => {
  const [term] = arrayAt(read(stored), "spec", ...REQUIRED, "nodeSelectorTerms")
  const [name] = arrayAt(arrayAt(term, "matchFields")[0], "values")
  return typeof name === "string" ? name : ""
})

const REQUIRED = ["affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"]

const toleration = (name: string, effect: string): JsonObject => ({
  key: `node.kubernetes.io/${name}`,
  operator: "Exists",
  effect
})

const TOLERATIONS: ReadonlyArray<JsonObject> = [
  toleration("not-ready", "NoExecute"),
  toleration("unreachable", "NoExecute"),
  toleration("disk-pressure", "NoSchedule"),
  toleration("memory-pressure", "NoSchedule"),
  toleration("pid-pressure", "NoSchedule"),
  toleration("unschedulable", "NoSchedule")
]

/** Creates the missing pods and deletes the surplus pods. */
const placePods = (work: Work, tolerations: ReadonlyArray<Json>): void => {
  const { chosen, nodes, pods, turn } = work
  const names = new Set(chosen.map(({ name }) => name))
  const removePod = (pod: Pod) => (pod.ending ? true : remove(turn, Resources.pods, pod.stored))
  for (const [name, podsHere] of pods) {
    const node = nodes.find((one) => one.name === name)
    // A pod stays on a node that is no longer eligible, unless a NoExecute taint evicts it.
    const stays =
      names.has(name)
      || (node !== undefined
        && untolerated(tolerations, node, ["NoExecute"]) === undefined
        && selects(objectAt(work.object, "spec", "template", "spec"), node))
    const active = podsHere.filter(({ ending, phase }) => !ending && phase !== "Failed" && phase !== "Succeeded")
    for (const pod of podsHere) if (pod.phase === "Failed" || pod.phase === "Succeeded") removePod(pod)
    const oldest = active.toSorted((left, right) => left.createdMs - right.createdMs)
    for (const pod of stays ? oldest.slice(1) : oldest) removePod(pod)
  }
  for (const { name } of chosen) {
    if ((pods.get(name) ?? []).length > 0) continue
    if (!make(work, name)) return
    if (!turn.hasTime()) {
      turn.again()
      return
    }
  }
}

const make = ({ object, stored, turn, update }: Work, node: string): boolean => {
  const template = objectAt(object, "spec", "template")
  const spec = objectAt(template, "spec")
  const only: JsonObject = { matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] }
  // The node's name replaces the template's node affinity, which was evaluated when the node was chosen.
  const pinned = put(spec, [...REQUIRED, "nodeSelectorTerms"], [only])
  const missing = TOLERATIONS.filter(
    (one) =>
      !arrayAt(spec, "tolerations").some(
        (known) => textAt(known, "key") === one["key"] && textAt(known, "effect") === one["effect"]
      )
  )
  const placed: JsonObject = { ...pinned, tolerations: [...arrayAt(spec, "tolerations"), ...missing] }
  const pod = podFrom(
    { ...template, spec: placed },
    {
      generateName: nameStem(stored.name),
      labels: {
        [HASH]: update.hash,
        "pod-template-generation": textAt(object, "metadata", "annotations", TEMPLATE_GENERATION)
      },
      owner: controllerReference(Resources.daemonSets, stored)
    }
  )
  return create(turn, Resources.pods, stored.namespace, pod)
}

/**
 * Deletes pods with an old template, within the limit of unavailable pods. The next reconciliation creates their
 * replacements.
 */
const replaceOld = (work: Work): void => {
  const { chosen, object, pods, turn, update } = work
  if (textAt(object, "spec", "updateStrategy", "type") === "OnDelete") return
  const rolling = objectAt(object, "spec", "updateStrategy", "rollingUpdate")
  const limit = Math.max(
    1,
    Rollout.resolve(rolling["maxUnavailable"], chosen.length, "up"),
    Rollout.resolve(rolling["maxSurge"], chosen.length, "up")
  )
  const here = chosen.flatMap(({ name }) => pods.get(name) ?? [])
  const old = here.filter((pod) => hashIn(pod) !== update.hash && !pod.ending)
  const isThere = (pod: Pod) => !pod.ending && available(work, pod)
  const broken = old.filter((pod) => !isThere(pod))
  for (const pod of broken) remove(turn, Resources.pods, pod.stored)
  const missing = chosen.length - here.filter(isThere).length
  for (const pod of old.filter(isThere).slice(0, Math.max(0, limit - missing))) remove(turn, Resources.pods, pod.stored)
}

const available = ({ object, turn }: Work, pod: Pod): boolean =>
  isAvailable(pod, numberAt(object, "spec", "minReadySeconds") ?? 0, turn.kernel.nowMs())

const updateStatus = (work: Work): void => {
  const { chosen, object, pods, stored, turn, update } = work
  const names = new Set(chosen.map(({ name }) => name))
  const firsts = chosen.flatMap(({ name }) => (pods.get(name) ?? []).filter(({ ending }) => !ending).slice(0, 1))
  const misplaced = [...pods].filter(([name, own]) => !names.has(name) && own.some(({ ending }) => !ending)).length
  const ready = firsts.filter((pod) => pod.ready)
  const availablePods = ready.filter((pod) => available(work, pod))
  waitForReadiness(turn, ready, availablePods, numberAt(object, "spec", "minReadySeconds") ?? 0)
  writeStatus(turn, Resources.daemonSets, turn.kernel.store.get(Resources.daemonSets, stored.key) ?? stored, {
    currentNumberScheduled: firsts.length,
    numberMisscheduled: misplaced,
    desiredNumberScheduled: chosen.length,
    numberReady: ready.length,
    ...nonZero({
      observedGeneration: numberAt(object, "metadata", "generation") ?? 0,
      updatedNumberScheduled: firsts.filter((pod) => hashIn(pod) === update.hash).length,
      numberAvailable: availablePods.length,
      numberUnavailable: chosen.length - availablePods.length
    })
  })
}
