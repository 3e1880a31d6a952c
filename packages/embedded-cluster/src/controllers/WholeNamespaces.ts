/**
 * Waits until every namespace has what controllers give it.
 *
 * A namespace is there some milliseconds before its service account is. Objects that are taken in between lack the
 * account, so going back to them would remove it, and where an account is demanded no pod could be made until it is there
 * again.
 */
import { Clock, Effect } from "effect"
import { inRealTime } from "../core/RealTime.ts"

/** An object that controllers make in each namespace. */
export interface Gift {
  readonly plural: "configmaps" | "serviceaccounts"
  readonly kind: string
  readonly name: string
}

/** What is there of them. */
export interface Given {
  /** The namespaces that count; one that ends gets nothing any more. */
  readonly namespaces: ReadonlyArray<string>
  readonly has: (gift: Gift, namespace: string) => boolean
}

/**
 * The objects that controllers make in each namespace.
 *
 * **Source** Kubernetes, `pkg/controller/serviceaccount` and `pkg/controller/certificates/rootcacertpublisher`.
 */
export const GIFTS: ReadonlyArray<Gift> = [
  { plural: "serviceaccounts", kind: "ServiceAccount", name: "default" },
  { plural: "configmaps", kind: "ConfigMap", name: "kube-root-ca.crt" }
]

const WITHIN_MS = 5_000
const EVERY = "20 millis"

/** Whether each namespace has each of these. */
export const areWhole = ({ has, namespaces }: Given, gifts: ReadonlyArray<Gift> = GIFTS): boolean =>
  gifts.every((gift) => namespaces.every((namespace) => has(gift, namespace)))

/** Looks until all namespaces are whole. **Limits** goes on after 5 s where one is not. */
export const untilWhole = <E, R>(look: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    const end = (yield* Clock.currentTimeMillis) + WITHIN_MS
    while (!(yield* look) && (yield* Clock.currentTimeMillis) < end) yield* Effect.sleep(EVERY)
  }).pipe(inRealTime)
