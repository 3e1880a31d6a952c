/**
 * Evictions: deletions of pods that ask their disruption budgets first.
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

/** Evictions that a budget has allowed and whose pods are still there; beyond that it allows none. */
const MAX_DISRUPTED = 2_000

/** Answers a request to evict a pod. **Errors** 429 when its budget does not allow it now. */
export const create = steps(function* (kernel: Kernel, call: ResourceCall): Steps<TextReply> {
  const eviction = yield* bodyObject(call.request, "Eviction", "policy/v1")
  const name = textAt(eviction, "metadata", "name")
  if (name !== call.info.name) return yield* Result.fail(misnamed(name, call.info.name))
  const options = yield* DeleteOptions.within(call, objectAt(eviction, "deleteOptions"))
  const stored = yield* find(kernel, addressOf(call))
  const pod = read(stored)
  if (!isBeyondBudget(pod)) yield* ask(kernel, stored, pod, options.dryRun)
  if (!options.dryRun) mark(kernel, pod)
  yield* Deletions.remove(kernel, addressOf(call), options)
  return json(success(undefined, 201), 201)
})

/** A pod that does not run yet, or no more, disrupts nobody by its going. */
const isBeyondBudget = (pod: JsonObject): boolean =>
  ["Succeeded", "Failed", "Pending"].includes(textAt(pod, "status", "phase"))
  || at(pod, "metadata", "deletionTimestamp") !== undefined

const ask = (kernel: Kernel, stored: Stored, pod: JsonObject, dryRun: boolean): Outcome<void> => {
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

/** Whether a pod that is not ready may go although nothing else may. */
const allowsUnhealthy = (budget: JsonObject): boolean => {
  if (textAt(budget, "spec", "unhealthyPodEvictionPolicy") === "AlwaysAllow") return true
  const wanted = count(budget, "desiredHealthy")
  return wanted > 0 && count(budget, "currentHealthy") >= wanted
}

/** Refuses an eviction that a budget does not allow; tests and runbooks for `kubectl drain` look for the message. */
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
    return tooMany(`${budgetName} has changed and is not counted yet`, 10)
  const allowed = count(budget, "disruptionsAllowed")
  const details = { name, group: "policy", kind: "poddisruptionbudget" }
  const forbid = (why: string) => forbidden(`poddisruptionbudget.policy "${name}" is forbidden: ${why}`, details)
  if (allowed < 0) return forbid("status.disruptionsAllowed is negative")
  if (Object.keys(objectAt(budget, "status", "disruptedPods")).length > MAX_DISRUPTED)
    return forbid(`status.disruptedPods holds more than ${MAX_DISRUPTED} pods`)
  if (allowed > 0) return undefined
  const [wanted, healthy] = [count(budget, "desiredHealthy"), count(budget, "currentHealthy")]
  return tooMany(`${budgetName} needs ${wanted} healthy pods and has ${healthy}, and allows no disruption`)
}

const CONDITION = "DisruptionAllowed"

/** A budget that has allowed one more pod to go. */
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

/** The pod says why it goes, as long as it is there. */
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
