/**
 * Writes of controllers. They follow the rules of every write and skip unchanged objects.
 */
import { Result } from "effect"
import { equals, type Json, type JsonObject, objectAt, put, textAt, without } from "../core/Json.ts"
import { timestamp } from "../core/Kernel.ts"
import { apiVersionOf, type Resource } from "../core/Resource.ts"
import type { Outcome } from "../core/Status.ts"
import type { Stored } from "../core/Stored.ts"
import * as Deletions from "../writes/Deletions.ts"
import * as Writes from "../writes/Writes.ts"
import { MANAGER, succeeded, type Turn } from "./Controller.ts"
import { objectOf } from "./Views.ts"

/** Creates an object. Returns whether it was created; a failure is queued for a retry. */
export const create = (turn: Turn, resource: Resource, namespace: string, object: JsonObject): boolean =>
  succeeded(turn, tryCreate(turn, resource, namespace, object))

export const tryCreate = (
  { kernel }: Turn,
  resource: Resource,
  namespace: string,
  object: JsonObject
): Outcome<JsonObject> => Writes.create(kernel, resource, namespace, object, MANAGER)

/** Writes a status if it differs from the current one. */
export const writeStatus = (turn: Turn, resource: Resource, stored: Stored, status: JsonObject): void => {
  if (equals(objectOf(stored)["status"], status)) return
  change(turn, resource, stored, (object) => put(object, ["status"], status), "status")
}

/** Changes an object. Returns whether the change succeeded; a missing object counts as success. */
export const change = (
  turn: Turn,
  resource: Resource,
  stored: Stored,
  make: (object: JsonObject) => JsonObject,
  part: Writes.Part = "main"
): boolean => {
  const address = { resource, namespace: stored.namespace, name: stored.name }
  const outcome = Writes.update(turn.kernel, address, part, (object) => Result.succeed(make(object)), MANAGER)
  return isGone(outcome) || succeeded(turn, outcome)
}

/** Deletes an object. Returns whether the deletion succeeded; a missing object counts as success. */
export const remove = (
  turn: Turn,
  resource: Resource,
  stored: Stored,
  options: Omit<Deletions.DeleteOptions, "dryRun"> = {}
): boolean => {
  const address = { resource, namespace: stored.namespace, name: stored.name }
  const outcome = Deletions.remove(turn.kernel, address, { uid: stored.uid, ...options, dryRun: false })
  return isGone(outcome) || succeeded(turn, outcome)
}

const isGone = (outcome: Outcome<unknown>): boolean => Result.isFailure(outcome) && outcome.failure.code === 404

/** Makes an owner reference to a controlling object. */
export const controllerReference = (resource: Resource, owner: Stored): JsonObject => ({
  apiVersion: apiVersionOf(resource),
  kind: resource.kind,
  name: owner.name,
  uid: owner.uid,
  controller: true,
  blockOwnerDeletion: true
})

/** Drops the counts that are 0, as the API omits them. */
export const nonZero = (counts: Readonly<Record<string, number>>): JsonObject =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0))

export interface NewCondition {
  readonly type: string
  readonly status: "True" | "False" | "Unknown"
  readonly reason?: string
  readonly message?: string
}

/**
 * Sets one condition.
 *
 * **Shape** an equal condition stays untouched. `lastTransitionTime` changes only with the status.
 */
export const withCondition = (
  { kernel }: Turn,
  conditions: ReadonlyArray<Json>,
  condition: NewCondition,
  more: JsonObject = {}
): ReadonlyArray<Json> => {
  const known = objectAt({ known: conditions.find((one) => textAt(one, "type") === condition.type) ?? null }, "known")
  const wanted: JsonObject = { ...condition, ...more }
  if (equals(without(known, "lastTransitionTime", "lastProbeTime"), wanted)) return conditions
  const same = textAt(known, "status") === condition.status
  const lastTransitionTime = same ? textAt(known, "lastTransitionTime") : timestamp(kernel.nowMs())
  return [...withoutCondition(conditions, condition.type), { ...wanted, lastTransitionTime }]
}

export const withoutCondition = (conditions: ReadonlyArray<Json>, type: string): ReadonlyArray<Json> =>
  conditions.filter((one) => textAt(one, "type") !== type)
