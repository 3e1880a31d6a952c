/**
 * Empties terminating namespaces and removes them when they are empty.
 *
 * **Source** Kubernetes, `pkg/controller/namespace/deletion`.
 */
import * as Resources from "../core/Resources.ts"
import * as Collector from "../writes/Collector.ts"
import { type Controller, existing, ownKey } from "./Controller.ts"
import { remove } from "./ControllerWrites.ts"

export const namespaces: Controller = {
  name: "namespace",
  watches: [{ resource: Resources.namespaces, keys: ownKey }],
  every: ({ after, before }, { kernel }) => {
    if (after !== undefined || before === undefined || before.namespace === "") return []
    const home = kernel.store.get(Resources.namespaces, before.namespace)
    const isOver = home?.fields["status.phase"] === "Terminating" && !kernel.store.holdsAny(before.namespace)
    return isOver ? [before.namespace] : []
  },
  reconcile: (turn, key) => {
    const { store } = turn.kernel
    const home = existing(turn, Resources.namespaces, key)
    if (home?.fields["status.phase"] !== "Terminating") return
    for (const [resource, listed] of store.contents(key)) {
      const stored = store.get(resource, listed.key)
      // An object that is marked for deletion waits for its kubelet or its finalizers.
      if (stored?.uid !== listed.uid || stored.body.includes('"deletionTimestamp":')) continue
      remove(turn, resource, stored, { propagation: "Background" })
      if (!turn.hasTime()) {
        turn.again()
        return
      }
    }
    Collector.closeIfEmpty(turn.kernel, home)
  }
}
