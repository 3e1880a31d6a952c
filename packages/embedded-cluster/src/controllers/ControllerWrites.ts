/**
 * How controllers write: with the rules of every write, and nothing when nothing changes.
 */
import { Result } from "effect"
import { equals, type Json, type JsonObject, objectAt, put, textAt, without } from "../core/Json.ts"
import { timestamp } from "../core/Kernel.ts"
import { apiVersionOf, type Resource } from "../core/Resource.ts"
import type { Outcome } from "../core/Status.ts"
import type { Stored } from "../core/Stored.ts"
import * as Deletions from "../writes/Deletions.ts"
import * as Writes from "../writes/Writes.ts"
import { MANAGER, settled, type Turn } from "./Controller.ts"
import { objectOf } from "./Views.ts"

/** Creates an object; gives whether it is there now. A failure is tried again later. */
export const create = (turn: Turn, resource: Resource, namespace: string, object: JsonObject): boolean =>
  settled(turn, tryCreate(turn, resource, namespace, object))

export const tryCreate = (
  { kernel }: Turn,
  resource: Resource,
  namespace: string,
  object: JsonObject
): Outcome<JsonObject> => Writes.create(kernel, resource, namespace, object, MANAGER)

/** Writes a status, if it is another one than there is. */
export const writeStatus = (turn: Turn, resource: Resource, stored: Stored, status: JsonObject): void => {
  if (equals(objectOf(stored)["status"], status)) return
  change(turn, resource, stored, (object) => put(object, ["status"], status), "status")
}

/** Changes an object; gives whether it is as it should be. One that has gone in between needs nothing any more. */
export const change = (
  turn: Turn,
  resource: Resource,
  stored: Stored,
  make: (object: JsonObject) => JsonObject,
  part: Writes.Part = "main"
): boolean => {
  const address = { resource, namespace: stored.namespace, name: stored.name }
  const outcome = Writes.update(turn.kernel, address, part, (object) => Result.succeed(make(object)), MANAGER)
  return isGone(outcome) || settled(turn, outcome)
}

/** Deletes an object; one that has gone already is deleted. */
export const remove = (
  turn: Turn,
  resource: Resource,
  stored: Stored,
  options: Omit<Deletions.DeleteOptions, "dryRun"> = {}
): boolean => {
  const address = { resource, namespace: stored.namespace, name: stored.name }
  const outcome = Deletions.remove(turn.kernel, address, { uid: stored.uid, ...options, dryRun: false })
  return isGone(outcome) || settled(turn, outcome)
}

const isGone = (outcome: Outcome<unknown>): boolean => Result.isFailure(outcome) && outcome.failure.code === 404

/** The reference by which an object controls another. */
export const controllerReference = (resource: Resource, owner: Stored): JsonObject => ({
  apiVersion: apiVersionOf(resource),
  kind: resource.kind,
  name: owner.name,
  uid: owner.uid,
  controller: true,
  blockOwnerDeletion: true
})

/** The entries whose number is not 0: the API leaves the others out. */
export const nonZero = (counts: Readonly<Record<string, number>>): JsonObject =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== 0))

export interface NewCondition {
  readonly type: string
  readonly status: "True" | "False" | "Unknown"
  readonly reason?: string
  readonly message?: string
}

/**
 * Sets a condition among others.
 *
 * **Shape** one that says the same already stays untouched; `lastTransitionTime` moves only with the status.
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
