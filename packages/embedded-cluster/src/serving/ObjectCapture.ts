/**
 * Captures and restores the objects of an embedded cluster.
 */
import { Option, Result, Schema } from "effect"
import { isObject } from "../core/Json.ts"
import type { Kernel } from "../core/Kernel.ts"
import type { Resource } from "../core/Resource.ts"
import { read, type Stored } from "../core/Stored.ts"

/** The objects at one moment. */
export type Captured = ReadonlyArray<readonly [Resource, Stored]>

/** A line of a saved cluster: an object and its resource. */
const Line = Schema.fromJsonString(
  Schema.Struct({
    group: Schema.String,
    version: Schema.NonEmptyString,
    resource: Schema.NonEmptyString,
    object: Schema.Unknown
  })
)
const decodeLine = Schema.decodeUnknownOption(Line)

/** Captures every object. **Limits** the texts are shared with the store. */
export const capture = ({ store }: Kernel): Captured =>
  store.resources().flatMap((resource) => store.list(resource, "").map((stored) => [resource, stored] as const))

/**
 * Restores captured objects. Returns the same objects with their new resource versions.
 *
 * **Shape** an unchanged object keeps its version. New events are deleted and deleted events are not restored, as if
 * they had expired. An existing lease keeps its latest value.
 *
 * **Limits** atomic for requests. Linear in the number of objects; stores a new text for each object that differs.
 */
export const restore = (kernel: Kernel, captured: Captured): Captured => {
  const { store } = kernel
  const wanted = new Set(captured.map(([resource, { key }]) => idOf(resource, key)))
  const surplus = capture(kernel).filter(([resource, { key }]) => !wanted.has(idOf(resource, key)))
  for (const [resource, stored] of surplus.toSorted(([left], [right]) => rankOf(right) - rankOf(left))) {
    if (store.get(resource, stored.key) !== undefined) store.remove(resource, stored)
  }
  return captured
    .toSorted(([left], [right]) => rankOf(left) - rankOf(right))
    .map(([old, stored]) => {
      // If the definition was deleted and restored, the resource is a new one.
      const resource = currentResource(kernel, old)
      const present = store.get(resource, stored.key)
      if (present?.revision === stored.revision || isEvent(resource)) return [resource, stored] as const
      if (present !== undefined && isLease(resource)) return [resource, present] as const
      return [resource, store.restore(resource, stored)] as const
    })
}

/** Deletes every object and resets the revision counter. */
export const clear = (kernel: Kernel): void => {
  restore(kernel, [])
  kernel.store.resetRevisions()
}

/** Prints the objects as lines of a saved cluster. */
export const lines = (kernel: Kernel): ReadonlyArray<string> =>
  capture(kernel)
    .filter(([resource]) => !isEvent(resource))
    .toSorted(([left], [right]) => rankOf(left) - rankOf(right))
    .map(([{ group, version, resource }, stored]) => JSON.stringify({ group, version, resource, object: read(stored) }))

/** Writes the objects of a saved cluster into an empty one. **Errors** the index of the first invalid line, from 0. */
export const load = (kernel: Kernel, saved: ReadonlyArray<string>): Result.Result<void, number> => {
  for (const [index, text] of saved.entries()) {
    const line = decodeLine(text)
    if (Option.isNone(line)) return Result.fail(index)
    const { group, version, resource: name, object } = line.value
    const resource = kernel.registry.find(group, version, name)
    if (resource === undefined || !isObject(object)) return Result.fail(index)
    kernel.store.write(resource, object)
  }
  return Result.succeed(undefined)
}

const idOf = (resource: Resource, key: string): string => `${resource.storage} ${key}`

/** Definitions are restored before namespaces, and both before other objects. Deletions use the opposite order. */
const rankOf = ({ group, resource }: Resource): number => {
  if (group === "apiextensions.k8s.io") return 0
  return group === "" && resource === "namespaces" ? 1 : 2
}

const isEvent = ({ group, resource }: Resource): boolean =>
  resource === "events" && (group === "" || group === "events.k8s.io")

const isLease = ({ group, resource }: Resource): boolean => group === "coordination.k8s.io" && resource === "leases"

const currentResource = ({ registry }: Kernel, old: Resource): Resource =>
  old.custom === undefined ? old : (registry.find(old.group, old.version, old.resource) ?? old)
