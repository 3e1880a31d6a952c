/**
 * Index of all pods, updated with each change: the load of each node, unscheduled pods, and pods without a
 * controller.
 */
import { Effect, type Scope } from "effect"
import type { Kernel } from "../core/Kernel.ts"
import * as Resources from "../core/Resources.ts"
import type { Change } from "../core/Store.ts"
import type { Stored } from "../core/Stored.ts"
import { type Pod, podOf } from "./Views.ts"

/** Resource requests and pods on a node. **Shape** `requests` in thousandths. */
export interface Load {
  readonly requests: Map<string, number>
  readonly pods: Map<string, Stored>
}

export interface PodIndex {
  /** Load of a node. Returns `undefined` if no pod is on it. */
  readonly loadOf: (node: string) => Load | undefined
  /** Keys of the pods without a node. */
  readonly unbound: () => Iterable<string>
  /** Pods of a namespace without a controller. */
  readonly strays: (namespace: string) => Iterable<Stored>
}

/**
 * Makes the index, and updates it until the scope closes. **Limits** the cost of a change is linear in the pod's
 * requests.
 */
export const make = ({ store }: Kernel): Effect.Effect<PodIndex, never, Scope.Scope> =>
  Effect.gen(function* () {
    const loads = new Map<string, Load>()
    const strays = new Map<string, Map<string, Stored>>()
    const unbound = new Set<string>()

    const put = (stored: Stored): void => {
      const pod = podOf(stored)
      if (occupies(pod)) {
        const load = loads.get(pod.node) ?? { requests: new Map<string, number>(), pods: new Map<string, Stored>() }
        loads.set(pod.node, load)
        load.pods.set(stored.key, stored)
        count(load, pod, 1)
      }
      if (pod.node === "") unbound.add(stored.key)
      if (pod.owner === undefined) {
        const home = strays.get(stored.namespace) ?? new Map<string, Stored>()
        strays.set(stored.namespace, home)
        home.set(stored.key, stored)
      }
    }
    const drop = (stored: Stored): void => {
      const pod = podOf(stored)
      const load = loads.get(pod.node)
      if (occupies(pod) && load?.pods.delete(stored.key) === true) count(load, pod, -1)
      unbound.delete(stored.key)
      strays.get(stored.namespace)?.delete(stored.key)
    }
    const notice = ({ after, before }: Change): void => {
      if (before !== undefined) drop(before)
      if (after !== undefined) put(after)
    }
    yield* Effect.acquireRelease(
      Effect.sync(() => store.subscribe(Resources.pods, notice)),
      (stop) => Effect.sync(stop)
    )
    for (const stored of store.list(Resources.pods, "")) put(stored)
    return {
      loadOf: (node) => loads.get(node),
      unbound: () => unbound,
      strays: (namespace) => strays.get(namespace)?.values() ?? []
    }
  })

/**
 * Returns whether a pod uses resources of its node. A terminating pod does until it is removed; a finished pod does
 * not.
 */
const occupies = ({ node, phase }: Pod): boolean => node !== "" && phase !== "Succeeded" && phase !== "Failed"

const count = (load: Load, pod: Pod, sign: 1 | -1): void => {
  for (const [name, milli] of pod.requests) load.requests.set(name, (load.requests.get(name) ?? 0) + sign * milli)
}
