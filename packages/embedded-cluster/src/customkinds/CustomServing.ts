/**
 * Keeps the registry of resources in step with the stored CustomResourceDefinitions.
 */
import { equals, isObject, type JsonObject } from "../core/Json.ts"
import type { Registry } from "../core/Registry.ts"
import * as Resources from "../core/Resources.ts"
import type { Change, Store } from "../core/Store.ts"
import { read } from "../core/Stored.ts"
import * as Conversion from "../schemas/Conversion.ts"
import * as CustomResource from "./CustomResource.ts"
import * as CustomResourceDefinition from "./CustomResourceDefinition.ts"

/** Registers the resources of definitions whenever the store's definitions change. */
export const follow = (store: Store, registry: Registry): void => {
  store.subscribe(Resources.customResourceDefinitions, (change) => serve(store, registry, change))
}

const serve = (store: Store, registry: Registry, { after, before }: Change): void => {
  const name = after?.name ?? before?.name ?? ""
  const was = registry.custom.get(name) ?? []
  const definition = after === undefined ? undefined : read(after)
  if (definition === undefined || !CustomResourceDefinition.isTrue(definition, "Established")) {
    if (was.length > 0) registry.define(name, [], true)
    return
  }
  const old = before === undefined ? {} : read(before)
  const same = was.length > 0 && ["spec", "status.acceptedNames"].every((path) => isSame(old, definition, path))
  if (
    same
    && CustomResourceDefinition.isTrue(old, "Terminating")
      === CustomResourceDefinition.isTrue(definition, "Terminating")
  )
    return
  const { served, stored } = CustomResource.fromDefinition(definition)
  registry.define(name, served, !same)
  if (stored === undefined || same) return
  // Existing objects are converted to the new schema: of the stored version if clients can request that version,
  // otherwise of the first version that they can request.
  const current = served.includes(stored) ? stored : (served[0] ?? stored)
  store.redefine(current, (object) => Conversion.reshape(stored, object))
}

const isSame = (left: JsonObject, right: JsonObject, path: string): boolean => {
  const [first = "", second] = path.split(".")
  const [old, now] = [left[first], right[first]]
  if (second === undefined) return equals(old, now)
  return isObject(old) && isObject(now) && equals(old[second], now[second])
}
