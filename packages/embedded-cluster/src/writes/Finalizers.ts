/**
 * The finalizers by which a deletion says what becomes of dependents.
 *
 * **Source** Kubernetes, "Garbage Collection"; `k8s.io/apiserver/pkg/registry/generic/registry/store.go`.
 */
import { arrayAt, equals, type JsonObject, put } from "../core/Json.ts"

/** The owner goes after the dependents that block it. */
export const FOREGROUND = "foregroundDeletion"
/** The dependents stay and lose their owner. */
export const ORPHAN = "orphan"

/** How dependents are treated. */
export type Propagation = "Foreground" | "Background" | "Orphan"

export const has = (object: JsonObject, finalizer: string): boolean =>
  arrayAt(object, "metadata", "finalizers").includes(finalizer)

export const withoutFinalizer = (object: JsonObject, finalizer: string): JsonObject => {
  const rest = arrayAt(object, "metadata", "finalizers").filter((one) => one !== finalizer)
  return put(object, ["metadata", "finalizers"], rest.length === 0 ? undefined : rest)
}

/** Marks an object that is deleted; without a wish, what it carries already stays. */
export const forPropagation = (object: JsonObject, wish: Propagation | undefined): JsonObject => {
  const before = arrayAt(object, "metadata", "finalizers")
  const wants = (policy: Propagation, finalizer: string) =>
    wish === undefined ? before.includes(finalizer) : wish === policy
  const after = [
    ...before.filter((one) => one !== ORPHAN && one !== FOREGROUND),
    ...(wants("Orphan", ORPHAN) ? [ORPHAN] : []),
    ...(wants("Foreground", FOREGROUND) ? [FOREGROUND] : [])
  ]
  return equals(before, after)
    ? object
    : put(object, ["metadata", "finalizers"], after.length === 0 ? undefined : after)
}
