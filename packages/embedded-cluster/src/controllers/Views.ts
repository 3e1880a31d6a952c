/**
 * Parsed objects for controllers. Each version is parsed once.
 */
import { arrayAt, at, type Json, type JsonObject, numberAt, textAt } from "../core/Json.ts"
import { oncePer } from "../core/OncePer.ts"
import { amount } from "../core/Quantity.ts"
import { read, type Stored } from "../core/Stored.ts"

/**
 * Parses the whole object. **Limits** the result stays in memory as long as the version. For pods, the result of
 * {@link podOf} is smaller.
 */
export const objectOf = oncePer(read)

/** The owner that controls an object. */
export interface ControllerRef {
  readonly apiVersion: string
  readonly kind: string
  readonly name: string
  readonly uid: string
}

export const controllerOf = (object: JsonObject): ControllerRef | undefined => {
  const owner = arrayAt(object, "metadata", "ownerReferences").find((one) => at(one, "controller") === true)
  return owner === undefined
    ? undefined
    : {
        apiVersion: textAt(owner, "apiVersion"),
        kind: textAt(owner, "kind"),
        name: textAt(owner, "name"),
        uid: textAt(owner, "uid")
      }
}

/** Resource requests of a pod. **Shape** by resource name, in thousandths of the unit. */
export type Requests = ReadonlyMap<string, number>

/** The facts of a pod that controllers need. */
export interface Pod {
  readonly stored: Stored
  readonly node: string
  readonly phase: string
  readonly owner: ControllerRef | undefined
  readonly ending: boolean
  readonly ready: boolean
  /** When the pod became ready, in milliseconds; 0 if it is not ready. */
  readonly readySinceMs: number
  readonly createdMs: number
  readonly restarts: number
  readonly deletionCost: number
  readonly finalizers: ReadonlyArray<string>
  readonly requests: Requests
}

/** Returns whether a pod has neither finished nor been marked for deletion. */
export const isActive = ({ ending, phase }: Pod): boolean => !ending && phase !== "Succeeded" && phase !== "Failed"

/** Returns whether a pod has been ready for `minReadySeconds`. */
export const isAvailable = (pod: Pod, minReadySeconds: number, nowMs: number): boolean =>
  pod.ready && (minReadySeconds === 0 || pod.readySinceMs + minReadySeconds * 1_000 <= nowMs)

export const podOf = oncePer((stored: Stored): Pod => {
  const object = read(stored)
  const condition = conditionOf(object, "Ready")
  const ready = textAt(condition, "status") === "True"
  return {
    stored,
    node: textAt(object, "spec", "nodeName"),
    phase: textAt(object, "status", "phase"),
    owner: controllerOf(object),
    ending: at(object, "metadata", "deletionTimestamp") !== undefined,
    ready,
    readySinceMs: ready ? timeOf(textAt(condition, "lastTransitionTime")) : 0,
    createdMs: timeOf(textAt(object, "metadata", "creationTimestamp")),
    restarts: sum(arrayAt(object, "status", "containerStatuses").map((one) => numberAt(one, "restartCount") ?? 0)),
    deletionCost: Number(textAt(object, "metadata", "annotations", "controller.kubernetes.io/pod-deletion-cost")) || 0,
    finalizers: arrayAt(object, "metadata", "finalizers").filter((one) => typeof one === "string"),
    requests: requestsOf(at(object, "spec"))
  }
})

/** Parses a time of the API to milliseconds; 0 if there is none. */
export const timeOf = (text: string): number => (text === "" ? 0 : Date.parse(text) || 0)

export const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)

/** Finds the condition of a type. */
export const conditionOf = (object: JsonObject, type: string): Json | undefined =>
  arrayAt(object, "status", "conditions").find((one) => textAt(one, "type") === type)

/** Resource requests of a pod: the sum of its containers, or the largest init container if that is more. */
const requestsOf = (spec: Json | undefined): Requests => {
  const running = new Map<string, number>()
  let highest = new Map<string, number>()
  for (const container of arrayAt(spec, "initContainers")) {
    const requests = requestsOfContainer(container)
    // A sidecar is an init container that keeps running.
    if (textAt(container, "restartPolicy") === "Always") add(running, requests)
    else highest = larger(highest, added(running, requests))
  }
  for (const container of arrayAt(spec, "containers")) add(running, requestsOfContainer(container))
  const total = larger(running, highest)
  const overhead = at(spec, "overhead")
  add(total, amounts(overhead))
  return total
}

const requestsOfContainer = (container: Json): Requests => amounts(at(container, "resources", "requests"))

/** Amounts of a resource list, in thousandths. */
export const amounts = (list: Json | undefined): Map<string, number> => {
  const found = new Map<string, number>()
  if (typeof list !== "object" || list === null || Array.isArray(list)) return found
  for (const [name, value] of Object.entries(list)) {
    const text = typeof value === "number" ? String(value) : value
    const milli = typeof text === "string" ? amount(text) : undefined
    if (milli !== undefined) found.set(name, milli)
  }
  return found
}

const add = (total: Map<string, number>, more: Requests): void => {
  for (const [name, milli] of more) total.set(name, (total.get(name) ?? 0) + milli)
}

const added = (left: Requests, right: Requests): Map<string, number> => {
  const total = new Map(left)
  add(total, right)
  return total
}

const larger = (left: Requests, right: Requests): Map<string, number> => {
  const most = new Map(left)
  for (const [name, milli] of right) most.set(name, Math.max(milli, most.get(name) ?? 0))
  return most
}
