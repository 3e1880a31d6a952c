/**
 * The life of custom kinds: a definition is established and served, changes, and goes with all its objects.
 *
 * What a real cluster's controllers do within a tenth of a second is done here before the request that caused it is
 * answered.
 */
import { arrayAt, type JsonObject, textAt } from "../core/Json.ts"
import { type Kernel, timestamp } from "../core/Kernel.ts"
import type { Resource } from "../core/Resource.ts"
import * as Resources from "../core/Resources.ts"
import { read, type Stored } from "../core/Stored.ts"
import * as Definition from "./Definition.ts"

const DEFINITIONS = Resources.customResourceDefinitions

/** Settles the names of the definitions of a group, after one of them came, changed or went. */
export const settle = (kernel: Kernel, group: string): void => {
  const definitions = () =>
    kernel.store
      .list(DEFINITIONS, "")
      .map((stored) => read(stored))
      .filter((definition) => textAt(definition, "spec", "group") === group)
  for (const { name } of kernel.store.list(DEFINITIONS, "")) {
    const all = definitions()
    const own = all.find((definition) => textAt(definition, "metadata", "name") === name)
    if (own === undefined || textAt(own, "metadata", "deletionTimestamp") !== "") continue
    const taken = Definition.takenBy(all.filter((definition) => definition !== own))
    const steps = Definition.settled(own, taken, timestamp(kernel.nowMs()))
    for (const step of steps) kernel.store.write(DEFINITIONS, step)
  }
}

export const groupOf = (stored: Stored): string => textAt(read(stored), "spec", "group")

/** Marks a definition as going; gives it as its deleter sees it. */
export const retire = (kernel: Kernel, stored: Stored, dryRun: boolean): JsonObject => {
  const marked = Definition.ending(read(stored), timestamp(kernel.nowMs()))
  if (dryRun) return marked
  const seen = read(kernel.store.write(DEFINITIONS, marked))
  kernel.store.write(DEFINITIONS, Definition.emptying(seen, timestamp(kernel.nowMs())))
  return seen
}

/** The objects of a definition, with the resource that they are of. */
export const instances = (kernel: Kernel, name: string): ReadonlyArray<readonly [Resource, Stored]> => {
  const [resource] = kernel.registry.custom.get(name) ?? []
  return resource === undefined ? [] : kernel.store.list(resource, "").map((stored) => [resource, stored] as const)
}

/**
 * Lets a definition go that is marked as going and has no objects any more.
 *
 * **Shape** gives it when nothing else holds it, so that the caller removes it.
 */
export const release = (kernel: Kernel, name: string): Stored | undefined => {
  const stored = kernel.store.get(DEFINITIONS, name)
  if (stored === undefined || instances(kernel, name).length > 0) return undefined
  const definition = read(stored)
  if (!arrayAt(definition, "metadata", "finalizers").includes(Definition.CLEANUP)) return undefined
  if (textAt(definition, "metadata", "deletionTimestamp") === "") return undefined
  const free = Definition.emptied(definition, timestamp(kernel.nowMs()))
  if (arrayAt(free, "metadata", "finalizers").length === 0) return stored
  kernel.store.write(DEFINITIONS, free)
  return undefined
}
