/**
 * Takes objects when every namespace has what controllers give it.
 *
 * A namespace is there some milliseconds before its service account is. Objects that are taken in between lack the
 * account, so going back to them would remove it, and pods that are made before it is there again would be refused.
 *
 * @since 0.1.0
 */
import { Clock, Effect } from "effect"
import { inRealTime } from "../internal/Machine.ts"

/** What a moment holds, as far as namespaces go. */
export interface Namespaces {
  readonly names: ReadonlyArray<string>
  readonly has: (plural: string, namespace: string, name: string) => boolean
}

/** **Source** Kubernetes, `pkg/controller/serviceaccount` and `pkg/controller/certificates/rootcacertpublisher`. */
const GIVEN = [
  ["serviceaccounts", "default"],
  ["configmaps", "kube-root-ca.crt"]
] as const

const FIRST = "default"
const WITHIN_MS = 5_000
const EVERY = "50 millis"

/**
 * Takes objects, again while a namespace lacks what others have.
 *
 * **Shape** whether controllers run is told by the namespace `default`, or by any where that one is out of sight: a cluster
 * without them is taken at once. **Limits** what is lacking after 5 s is not waited for.
 */
export const taken = <A, E, R>(
  take: Effect.Effect<A, E, R>,
  namespacesOf: (objects: A) => Namespaces
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis
    let objects = yield* take
    while (!areWhole(namespacesOf(objects)) && (yield* Clock.currentTimeMillis) - started < WITHIN_MS) {
      yield* Effect.sleep(EVERY)
      objects = yield* take
    }
    return objects
  }).pipe(inRealTime)

const areWhole = ({ has, names }: Namespaces): boolean =>
  GIVEN.every(([plural, name]) => {
    const hasIt = (namespace: string) => has(plural, namespace, name)
    const isGiven = names.includes(FIRST) ? hasIt(FIRST) : names.some(hasIt)
    return !isGiven || names.every(hasIt)
  })
