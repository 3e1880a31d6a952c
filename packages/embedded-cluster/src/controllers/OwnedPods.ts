/**
 * Pods of a workload: adopts matching pods without a controller, and releases owned pods that no longer match.
 *
 * **Source** Kubernetes, `pkg/controller/controller_ref_manager.go`.
 */
import { arrayAt, at, type JsonObject, objectAt, put, textAt } from "../core/Json.ts"
import * as LabelSelector from "../core/LabelSelector.ts"
import { oncePer } from "../core/OncePer.ts"
import type { Resource } from "../core/Resource.ts"
import * as Resources from "../core/Resources.ts"
import type { Change } from "../core/Store.ts"
import type { Stored } from "../core/Stored.ts"
import type { Cluster, KeysOf, Turn, Watch } from "./Controller.ts"
import { change, controllerReference } from "./ControllerWrites.ts"
import { controllerOf, objectOf, type Pod, podOf } from "./Views.ts"

/** Label selector of a workload. */
export const selectorOf = oncePer((stored: Stored): LabelSelector.LabelSelector =>
  LabelSelector.fromObject(objectAt(objectOf(stored), "spec", "selector"))
)

/** Maps a pod's change to its owner, or to the workloads that may adopt the pod. */
export const podsOf = (resource: Resource): Watch => ({ resource: Resources.pods, keys: ownersOf(resource) })

const ownersOf =
  (resource: Resource): KeysOf =>
  (change: Change, cluster: Cluster) => {
    const keys = new Set<string>()
    for (const stored of [change.before, change.after]) {
      if (stored === undefined) continue
      const { owner } = podOf(stored)
      if (owner?.kind === resource.kind) keys.add(`${stored.namespace}/${owner.name}`)
      if (owner !== undefined || stored !== change.after) continue
      for (const candidate of cluster.kernel.store.list(resource, stored.namespace)) {
        if (matches(candidate, stored)) keys.add(candidate.key)
      }
    }
    return keys
  }

const matches = (owner: Stored, pod: Stored): boolean => {
  const selector = selectorOf(owner)
  return selector.length > 0 && LabelSelector.matches(selector, pod.labels)
}

/**
 * Pods of a workload, after adoption and release. **Limits** linear in its pods and in the pods without a controller.
 */
export const claim = (turn: Turn, resource: Resource, owner: Stored): ReadonlyArray<Pod> => {
  const { kernel, pods } = turn
  const isEnding = at(objectOf(owner), "metadata", "deletionTimestamp") !== undefined
  const claimed: Array<Pod> = []
  for (const [kind, stored] of kernel.store.dependents(owner.uid)) {
    if (kind !== Resources.pods || podOf(stored).owner?.uid !== owner.uid) continue
    if (isEnding || matches(owner, stored)) claimed.push(podOf(stored))
    else release(turn, stored, owner.uid)
  }
  if (isEnding) return claimed
  for (const stored of [...pods.strays(owner.namespace)]) {
    if (!podOf(stored).ending && matches(owner, stored)) {
      adopt(turn, Resources.pods, stored, controllerReference(resource, owner))
      const adopted = kernel.store.get(Resources.pods, stored.key)
      if (adopted !== undefined) claimed.push(podOf(adopted))
    }
  }
  return claimed
}

export const adopt = (turn: Turn, resource: Resource, stored: Stored, reference: JsonObject): void => {
  change(turn, resource, stored, (object) =>
    put(object, ["metadata", "ownerReferences"], [...arrayAt(object, "metadata", "ownerReferences"), reference])
  )
}

const release = (turn: Turn, stored: Stored, uid: string): void => {
  change(turn, Resources.pods, stored, (object) => {
    const rest = arrayAt(object, "metadata", "ownerReferences").filter((one) => textAt(one, "uid") !== uid)
    return put(object, ["metadata", "ownerReferences"], rest.length === 0 ? undefined : rest)
  })
}

/** Objects of a kind that an owner controls. */
export const controlled = ({ kernel }: Cluster, resource: Resource, owner: Stored): ReadonlyArray<Stored> =>
  kernel.store
    .dependents(owner.uid)
    .flatMap(([kind, stored]) =>
      kind === resource && controllerOf(objectOf(stored))?.uid === owner.uid ? [stored] : []
    )

/** Maps an object's change to the owner that controls it. */
export const controlledBy = (owner: Resource, resource: Resource): Watch => ({
  resource,
  keys: ({ after, before }) =>
    [before, after].flatMap((stored) => {
      const found = stored === undefined ? undefined : controllerOf(objectOf(stored))
      return stored === undefined || found?.kind !== owner.kind ? [] : [`${stored.namespace}/${found.name}`]
    })
})
