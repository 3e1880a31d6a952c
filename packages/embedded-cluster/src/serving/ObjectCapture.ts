/**
 * Takes the objects of an embedded cluster back to an earlier time.
 */
import { Option, Result, Schema } from "effect"
import { isObject } from "../core/Json.ts"
import type { Kernel } from "../core/Kernel.ts"
import type { Resource } from "../core/Resource.ts"
import { read, type Stored } from "../core/Stored.ts"

/** The objects of one moment. */
export type Captured = ReadonlyArray<readonly [Resource, Stored]>

/** An object that a saved cluster holds, and where it belongs. */
const Line = Schema.fromJsonString(
  Schema.Struct({
    group: Schema.String,
    version: Schema.NonEmptyString,
    resource: Schema.NonEmptyString,
    object: Schema.Unknown
  })
)
const decodeLine = Schema.decodeUnknownOption(Line)

/** Takes every object as it is now. **Limits** shares their texts with the store. */
export const capture = ({ store }: Kernel): Captured =>
  store.resources().flatMap((resource) => store.list(resource, "").map((stored) => [resource, stored] as const))

/**
 * Makes the cluster hold what it held, and gives the same objects under the versions that they have now.
 *
 * **Shape** what has not changed keeps its version. Events go when they came since and never come back, as they would
 * have expired; a lease that is there now keeps what its holder wrote last.
 *
 * **Limits** one step: no request sees half of it. Costs the number of objects, and a text for each that differs.
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
      // A definition that went and came back has made the kind anew.
      const resource = served(kernel, old)
      const present = store.get(resource, stored.key)
      if (present?.revision === stored.revision || isPassing(resource)) return [resource, stored] as const
      if (present !== undefined && isRenewed(resource)) return [resource, present] as const
      return [resource, store.putBack(resource, stored)] as const
    })
}

/** Removes every object and begins to count anew. */
export const clear = (kernel: Kernel): void => {
  restore(kernel, [])
  kernel.store.beginAnew()
}

/** The lines of a saved cluster. */
export const lines = (kernel: Kernel): ReadonlyArray<string> =>
  capture(kernel)
    .filter(([resource]) => !isPassing(resource))
    .toSorted(([left], [right]) => rankOf(left) - rankOf(right))
    .map(([{ group, version, resource }, stored]) => JSON.stringify({ group, version, resource, object: read(stored) }))

/** Writes the objects of a saved cluster into one without any. **Errors** the number of the first broken line, from 0. */
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

/** Kinds come before namespaces, and both before what lies in them; they go in the opposite order. */
const rankOf = ({ group, resource }: Resource): number => {
  if (group === "apiextensions.k8s.io") return 0
  return group === "" && resource === "namespaces" ? 1 : 2
}

const isPassing = ({ group, resource }: Resource): boolean =>
  resource === "events" && (group === "" || group === "events.k8s.io")

const isRenewed = ({ group, resource }: Resource): boolean => group === "coordination.k8s.io" && resource === "leases"

const served = ({ registry }: Kernel, old: Resource): Resource =>
  old.custom === undefined ? old : (registry.find(old.group, old.version, old.resource) ?? old)
