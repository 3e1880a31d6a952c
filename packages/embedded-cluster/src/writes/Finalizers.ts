/**
 * Finalizers that select how a deletion treats dependents.
 *
 * **Source** Kubernetes, "Garbage Collection"; `k8s.io/apiserver/pkg/registry/generic/registry/store.go`.
 */
import { arrayAt, equals, type JsonObject, put } from "../core/Json.ts"

/** The owner is removed after the dependents that block it. */
export const FOREGROUND = "foregroundDeletion"
/** The dependents stay and lose their owner. */
export const ORPHAN = "orphan"

export type Propagation = "Foreground" | "Background" | "Orphan"

export const has = (object: JsonObject, finalizer: string): boolean =>
  arrayAt(object, "metadata", "finalizers").includes(finalizer)

export const withoutFinalizer = (object: JsonObject, finalizer: string): JsonObject => {
  const rest = arrayAt(object, "metadata", "finalizers").filter((one) => one !== finalizer)
  return put(object, ["metadata", "finalizers"], rest.length === 0 ? undefined : rest)
}

/** Sets the finalizers of a propagation policy. Without a policy the object's finalizers stay. */
export const forPropagation = (object: JsonObject, policy: Propagation | undefined): JsonObject => {
  const before = arrayAt(object, "metadata", "finalizers")
  const wants = (candidate: Propagation, finalizer: string) =>
    policy === undefined ? before.includes(finalizer) : policy === candidate
  const after = [
    ...before.filter((one) => one !== ORPHAN && one !== FOREGROUND),
    ...(wants("Orphan", ORPHAN) ? [ORPHAN] : []),
    ...(wants("Foreground", FOREGROUND) ? [FOREGROUND] : [])
  ]
  return equals(before, after)
    ? object
    : put(object, ["metadata", "finalizers"], after.length === 0 ? undefined : after)
}
