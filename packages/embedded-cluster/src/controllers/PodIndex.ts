/**
 * What is asked of all pods again and again, counted as they change: what each node has given away, and which pods
 * nobody controls.
 */
import { Effect, type Scope } from "effect"
import type { Kernel } from "../core/Kernel.ts"
import * as Resources from "../core/Resources.ts"
import type { Change } from "../core/Store.ts"
import type { Stored } from "../core/Stored.ts"
import { type Pod, podOf } from "./Views.ts"

/** What the pods of a node take. **Shape** `requests` in thousandths, `pods` their number. */
export interface Load {
  readonly requests: Map<string, number>
  readonly pods: Map<string, Stored>
}

export interface PodIndex {
  /** The load of a node; `undefined` when no pod is on it. */
  readonly loadOf: (node: string) => Load | undefined
  /** Keys of the pods that have no node yet. */
  readonly unbound: () => Iterable<string>
  /** Pods of a namespace that no controller owns. */
  readonly strays: (namespace: string) => Iterable<Stored>
}

/** Makes the index, and keeps it up to date until the scope closes. **Limits** a change costs its pod's requests. */
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

/** A finished pod gives its place back; one that is ending has it until it is gone. */
const occupies = ({ node, phase }: Pod): boolean => node !== "" && phase !== "Succeeded" && phase !== "Failed"

const count = (load: Load, pod: Pod, sign: 1 | -1): void => {
  for (const [name, milli] of pod.requests) load.requests.set(name, (load.requests.get(name) ?? 0) + sign * milli)
}
