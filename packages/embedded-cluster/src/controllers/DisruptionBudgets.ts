/**
 * Computes how many pods each PodDisruptionBudget currently allows to evict.
 *
 * **Source** Kubernetes, `pkg/controller/disruption`.
 */
import { arrayAt, at, type JsonObject, numberAt, objectAt } from "../core/Json.ts"
import * as LabelSelector from "../core/LabelSelector.ts"
import * as Resources from "../core/Resources.ts"
import type { Stored } from "../core/Stored.ts"
import { type Controller, existing, ownKey, type Turn } from "./Controller.ts"
import { nonZero, withCondition, writeStatus } from "./ControllerWrites.ts"
import { selectorOf } from "./OwnedPods.ts"
import * as Rollout from "./Rollout.ts"
import { isActive, objectOf, type Pod, podOf } from "./Views.ts"

export const disruptionBudgets: Controller = {
  name: "disruption",
  watches: [
    { resource: Resources.podDisruptionBudgets, keys: ownKey },
    {
      resource: Resources.pods,
      keys: ({ after, before }, { kernel }) => {
        const stored = after ?? before
        if (stored === undefined) return []
        return kernel.store
          .list(Resources.podDisruptionBudgets, stored.namespace)
          .filter((budget) => [after, before].some((pod) => pod !== undefined && covers(budget, pod)))
          .map(({ key }) => key)
      }
    },
    ...[Resources.replicaSets, Resources.statefulSets, Resources.deployments].map((resource) => ({
      resource,
      keys: budgetsOf
    }))
  ],
  reconcile: (turn, key) => {
    const budget = existing(turn, Resources.podDisruptionBudgets, key)
    if (budget === undefined) return
    const pods = turn.kernel.store
      .list(Resources.pods, budget.namespace)
      .filter((pod) => covers(budget, pod))
      .map(podOf)
      .filter(isActive)
    writeStatus(turn, Resources.podDisruptionBudgets, budget, statusOf(turn, budget, pods))
  }
}

function budgetsOf(
  { after, before }: { readonly after: Stored | undefined; readonly before: Stored | undefined },
  { kernel }: Pick<Turn, "kernel">
) {
  const stored = after ?? before
  const size = (one: Stored | undefined) => (one === undefined ? undefined : at(objectOf(one), "spec", "replicas"))
  if (stored === undefined || size(after) === size(before)) return []
  return kernel.store.list(Resources.podDisruptionBudgets, stored.namespace).map(({ key }) => key)
}

/**
 * Returns whether a budget selects a pod. A budget without a selector selects nothing; an empty selector selects the
 * whole namespace.
 */
const covers = (budget: Stored, pod: Stored): boolean =>
  at(objectOf(budget), "spec", "selector") !== undefined && LabelSelector.matches(selectorOf(budget), pod.labels)

const statusOf = (turn: Turn, budget: Stored, pods: ReadonlyArray<Pod>): JsonObject => {
  const object = objectOf(budget)
  const healthy = pods.filter((pod) => pod.ready && pod.phase === "Running").length
  const { desired, expected } = bounds(turn, objectAt(object, "spec"), pods)
  // A pod whose eviction was allowed counts as gone while it still exists.
  const leaving = Object.keys(objectAt(object, "status", "disruptedPods")).filter((name) =>
    pods.some((pod) => pod.stored.name === name)
  )
  const allowed = expected <= 0 ? 0 : Math.max(0, healthy - leaving.length - desired)
  const generation = numberAt(object, "metadata", "generation") ?? 0
  return {
    ...(leaving.length === 0
      ? {}
      : {
          disruptedPods: Object.fromEntries(
            leaving.map((name) => [name, at(object, "status", "disruptedPods", name) ?? null])
          )
        }),
    currentHealthy: healthy,
    desiredHealthy: desired,
    disruptionsAllowed: allowed,
    expectedPods: expected,
    ...nonZero({ observedGeneration: generation }),
    conditions: withCondition(
      turn,
      arrayAt(object, "status", "conditions"),
      {
        type: "DisruptionAllowed",
        status: allowed > 0 ? "True" : "False",
        reason: allowed > 0 ? "SufficientPods" : "InsufficientPods",
        message: ""
      },
      { observedGeneration: generation }
    )
  }
}

const bounds = (turn: Turn, spec: JsonObject, pods: ReadonlyArray<Pod>) => {
  const { maxUnavailable, minAvailable = 1 } = spec
  if (maxUnavailable !== undefined) {
    const expected = scaleOf(turn, pods)
    return { expected, desired: Math.max(0, expected - Rollout.resolve(maxUnavailable, expected, "up")) }
  }
  if (typeof minAvailable === "number") return { expected: pods.length, desired: minAvailable }
  const expected = scaleOf(turn, pods)
  return { expected, desired: Rollout.resolve(minAvailable, expected, "up") }
}

/** Total size of the workloads that own the pods. */
const scaleOf = ({ kernel }: Turn, pods: ReadonlyArray<Pod>): number => {
  const owners = new Set(pods.flatMap(({ owner }) => (owner === undefined ? [] : [owner.uid])))
  return [...owners].reduce((total, uid) => {
    const found = kernel.store.byUid(uid)
    return total + (found === undefined ? 0 : (numberAt(objectOf(found[1]), "spec", "replicas") ?? 0))
  }, 0)
}
