/**
 * Lifecycle of custom kinds: accepting a definition's names, and deleting a definition with its objects.
 *
 * A real cluster's controllers do this asynchronously, within 0.1 s. This server finishes it before it replies to the
 * request.
 */
import { arrayAt, type JsonObject, textAt } from "../core/Json.ts"
import { type Kernel, timestamp } from "../core/Kernel.ts"
import type { Resource } from "../core/Resource.ts"
import * as Resources from "../core/Resources.ts"
import { read, type Stored } from "../core/Stored.ts"
import * as CustomResourceDefinition from "./CustomResourceDefinition.ts"

const DEFINITIONS = Resources.customResourceDefinitions

/** Accepts or refuses the names of a group's definitions, after one of them was created, changed or removed. */
export const settle = (kernel: Kernel, group: string): void => {
  const definitions = () =>
    kernel.store
      .list(DEFINITIONS, "")
      .map((stored) => read(stored))
      .filter((definition) => textAt(definition, "spec", "group") === group)
  for (const { name } of kernel.store.list(DEFINITIONS, "")) {
    const all = definitions()
    const definition = all.find((one) => textAt(one, "metadata", "name") === name)
    if (definition === undefined || textAt(definition, "metadata", "deletionTimestamp") !== "") continue
    const taken = CustomResourceDefinition.takenBy(all.filter((other) => other !== definition))
    const steps = CustomResourceDefinition.settled(definition, taken, timestamp(kernel.nowMs()))
    for (const step of steps) kernel.store.write(DEFINITIONS, step)
  }
}

export const groupOf = (stored: Stored): string => textAt(read(stored), "spec", "group")

/** Marks a definition as being deleted. Returns it in the state that the client sees. */
export const markDeleted = (kernel: Kernel, stored: Stored, dryRun: boolean): JsonObject => {
  const marked = CustomResourceDefinition.ending(read(stored), timestamp(kernel.nowMs()))
  if (dryRun) return marked
  const marking = read(kernel.store.write(DEFINITIONS, marked))
  kernel.store.write(DEFINITIONS, CustomResourceDefinition.emptying(marking, timestamp(kernel.nowMs())))
  return marking
}

/** Objects of a definition's kind, each with its resource. */
export const instances = (kernel: Kernel, name: string): ReadonlyArray<readonly [Resource, Stored]> => {
  const [resource] = kernel.registry.custom.get(name) ?? []
  return resource === undefined ? [] : kernel.store.list(resource, "").map((stored) => [resource, stored] as const)
}

/**
 * Completes the deletion of a definition that is marked for deletion and has no objects left.
 *
 * **Shape** returns the definition if no other finalizer remains; the caller then removes it.
 */
export const finishDeletion = (kernel: Kernel, name: string): Stored | undefined => {
  const stored = kernel.store.get(DEFINITIONS, name)
  if (stored === undefined || instances(kernel, name).length > 0) return undefined
  const definition = read(stored)
  if (!arrayAt(definition, "metadata", "finalizers").includes(CustomResourceDefinition.CLEANUP)) return undefined
  if (textAt(definition, "metadata", "deletionTimestamp") === "") return undefined
  const free = CustomResourceDefinition.emptied(definition, timestamp(kernel.nowMs()))
  if (arrayAt(free, "metadata", "finalizers").length === 0) return stored
  kernel.store.write(DEFINITIONS, free)
  return undefined
}
