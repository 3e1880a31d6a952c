/**
 * Objects as controllers read them: parsed once a version, however often they are looked at.
 */
import { arrayAt, at, type Json, type JsonObject, numberAt, textAt } from "../core/Json.ts"
import { oncePer } from "../core/OncePer.ts"
import { amount } from "../core/Quantity.ts"
import { read, type Stored } from "../core/Stored.ts"

/** The whole object. **Limits** stays in memory as long as its version; of pods, {@link podOf} keeps less. */
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

/** What a pod asks of a node. **Shape** resources by name, in thousandths of their unit. */
export type Requests = ReadonlyMap<string, number>

/** What controllers want to know of a pod. */
export interface Pod {
  readonly stored: Stored
  readonly node: string
  readonly phase: string
  readonly owner: ControllerRef | undefined
  /** Whether it has been told to end. */
  readonly ending: boolean
  readonly ready: boolean
  /** When it became ready, in milliseconds; 0 while it is not. */
  readonly readySinceMs: number
  readonly createdMs: number
  readonly restarts: number
  readonly deletionCost: number
  readonly finalizers: ReadonlyArray<string>
  readonly requests: Requests
}

/** Whether a pod still works, or is on its way to: it has neither finished nor been told to end. */
export const isActive = ({ ending, phase }: Pod): boolean => !ending && phase !== "Succeeded" && phase !== "Failed"

/** Whether a pod has been ready for as long as its workload asks. */
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

/** A time of the API in milliseconds; 0 for none. */
export const timeOf = (text: string): number => (text === "" ? 0 : Date.parse(text) || 0)

export const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((total, one) => total + one, 0)

/** The condition of a type, if the object has it. */
export const conditionOf = (object: JsonObject, type: string): Json | undefined =>
  arrayAt(object, "status", "conditions").find((one) => textAt(one, "type") === type)

/** What a pod asks for: its containers together, or the largest init container where that is more. */
const requestsOf = (spec: Json | undefined): Requests => {
  const running = new Map<string, number>()
  let highest = new Map<string, number>()
  for (const container of arrayAt(spec, "initContainers")) {
    const own = requestsOfContainer(container)
    // A sidecar is an init container that stays.
    if (textAt(container, "restartPolicy") === "Always") add(running, own)
    else highest = larger(highest, added(running, own))
  }
  for (const container of arrayAt(spec, "containers")) add(running, requestsOfContainer(container))
  const total = larger(running, highest)
  const overhead = at(spec, "overhead")
  add(total, amounts(overhead))
  return total
}

const requestsOfContainer = (container: Json): Requests => amounts(at(container, "resources", "requests"))

/** The amounts of a resource list, in thousandths. */
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
