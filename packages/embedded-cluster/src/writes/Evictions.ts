/**
 * Pod evictions: deletions that PodDisruptionBudgets must allow.
 *
 * **Source** Kubernetes 1.36, `pkg/registry/core/pod/storage/eviction.go`.
 */
import { Result } from "effect"
import { bodyObject } from "../checks/RequestBody.ts"
import type { ResourceCall } from "../core/ApiRequest.ts"
import { arrayAt, at, isObject, type JsonObject, numberAt, objectAt, put, textAt } from "../core/Json.ts"
import { type Kernel, timestamp } from "../core/Kernel.ts"
import * as LabelSelector from "../core/LabelSelector.ts"
import * as Resources from "../core/Resources.ts"
import { type Failure, forbidden, misnamed, type Outcome, success } from "../core/Status.ts"
import { steps, type Steps } from "../core/Steps.ts"
import { read, type Stored } from "../core/Stored.ts"
import { type TextReply, json } from "../core/TextReply.ts"
import { addressOf, find } from "./Address.ts"
import * as DeleteOptions from "./DeleteOptions.ts"
import * as Deletions from "./Deletions.ts"

/** Largest number of allowed evictions whose pods still exist. A budget with more allows none. */
const MAX_DISRUPTED = 2_000

/** Evicts a pod. **Errors** 429 if a disruption budget does not allow it now. */
export const create = steps(function* (kernel: Kernel, call: ResourceCall): Steps<TextReply> {
  const eviction = yield* bodyObject(call.request, "Eviction", "policy/v1")
  const name = textAt(eviction, "metadata", "name")
  if (name !== call.info.name) return yield* Result.fail(misnamed(name, call.info.name))
  const options = yield* DeleteOptions.within(call, objectAt(eviction, "deleteOptions"))
  const stored = yield* find(kernel, addressOf(call))
  const pod = read(stored)
  if (!bypassesBudget(pod)) yield* checkBudget(kernel, stored, pod, options.dryRun)
  if (!options.dryRun) mark(kernel, pod)
  yield* Deletions.remove(kernel, addressOf(call), options)
  return json(success(undefined, 201), 201)
})

/** Returns whether an eviction bypasses the budget: the pod does not run yet, has finished, or is being deleted. */
const bypassesBudget = (pod: JsonObject): boolean =>
  ["Succeeded", "Failed", "Pending"].includes(textAt(pod, "status", "phase"))
  || at(pod, "metadata", "deletionTimestamp") !== undefined

const checkBudget = (kernel: Kernel, stored: Stored, pod: JsonObject, dryRun: boolean): Outcome<void> => {
  const budgets = kernel.store.list(Resources.podDisruptionBudgets, stored.namespace).filter((one) => {
    const selector = at(read(one), "spec", "selector")
    return isObject(selector) && LabelSelector.matches(LabelSelector.fromObject(selector), stored.labels)
  })
  const [first, second] = budgets
  if (first === undefined) return Result.succeed(undefined)
  if (second !== undefined) {
    const message = "more than one disruption budget selects the pod"
    return Result.fail<Failure>({ code: 500, message })
  }
  const budget = read(first)
  if (!isReady(pod) && allowsUnhealthy(budget)) return Result.succeed(undefined)
  const refused = refusal(first.name, budget)
  if (refused !== undefined) return Result.fail(refused)
  if (!dryRun) kernel.store.write(Resources.podDisruptionBudgets, disrupted(kernel, budget, stored.name))
  return Result.succeed(undefined)
}

const isReady = (pod: JsonObject): boolean =>
  arrayAt(pod, "status", "conditions").some(
    (one) => textAt(one, "type") === "Ready" && textAt(one, "status") === "True"
  )

const count = (budget: JsonObject, name: string): number => numberAt(budget, "status", name) ?? 0

/** Returns whether the budget allows evictions of pods that are not ready. */
const allowsUnhealthy = (budget: JsonObject): boolean => {
  if (textAt(budget, "spec", "unhealthyPodEvictionPolicy") === "AlwaysAllow") return true
  const wanted = count(budget, "desiredHealthy")
  return wanted > 0 && count(budget, "currentHealthy") >= wanted
}

/** Refuses an eviction that a budget does not allow. Tests and runbooks for `kubectl drain` look for this message. */
const tooMany = (cause: string, retryAfterSeconds?: number): Failure => ({
  code: 429,
  reason: "TooManyRequests",
  message: "Cannot evict pod as it would violate the pod's disruption budget.",
  details: {
    causes: [{ reason: "DisruptionBudget", message: cause }],
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
  }
})

const refusal = (name: string, budget: JsonObject): Failure | undefined => {
  const budgetName = `disruption budget ${name}`
  if (count(budget, "observedGeneration") < (numberAt(budget, "metadata", "generation") ?? 0))
    return tooMany(`${budgetName} has changed and its status is not up to date yet`, 10)
  const allowed = count(budget, "disruptionsAllowed")
  const details = { name, group: "policy", kind: "poddisruptionbudget" }
  const forbid = (why: string) => forbidden(`poddisruptionbudget.policy "${name}" is forbidden: ${why}`, details)
  if (allowed < 0) return forbid("status.disruptionsAllowed is negative")
  if (Object.keys(objectAt(budget, "status", "disruptedPods")).length > MAX_DISRUPTED)
    return forbid(`status.disruptedPods has more than ${MAX_DISRUPTED} pods`)
  if (allowed > 0) return undefined
  const [wanted, healthy] = [count(budget, "desiredHealthy"), count(budget, "currentHealthy")]
  return tooMany(`${budgetName} needs ${wanted} healthy pods and has ${healthy}, and allows no disruption`)
}

const CONDITION = "DisruptionAllowed"

/** Records one more allowed disruption in a budget. */
const disrupted = (kernel: Kernel, budget: JsonObject, pod: string): JsonObject => {
  const left = count(budget, "disruptionsAllowed") - 1
  const time = timestamp(kernel.nowMs())
  const named = put(budget, ["status", "disruptedPods"], {
    ...objectAt(budget, "status", "disruptedPods"),
    [pod]: time
  })
  const lower = put(named, ["status", "disruptionsAllowed"], left)
  if (left > 0) return lower
  const conditions = arrayAt(lower, "status", "conditions").filter((one) => textAt(one, "type") !== CONDITION)
  const none = {
    type: CONDITION,
    status: "False",
    observedGeneration: count(budget, "observedGeneration"),
    lastTransitionTime: time,
    reason: "InsufficientPods",
    message: ""
  }
  return put(lower, ["status", "conditions"], [...conditions, none])
}

/** Adds the condition that explains a pod's eviction. */
const mark = (kernel: Kernel, pod: JsonObject): void => {
  const others = arrayAt(pod, "status", "conditions").filter((one) => textAt(one, "type") !== "DisruptionTarget")
  const target = {
    type: "DisruptionTarget",
    status: "True",
    lastProbeTime: null,
    lastTransitionTime: timestamp(kernel.nowMs()),
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting"
  }
  kernel.store.write(Resources.pods, put(pod, ["status", "conditions"], [...others, target]))
}
