/**
 * Waits until every namespace has its default objects.
 *
 * A namespace exists some milliseconds before its service account. A snapshot taken in between lacks the account: a
 * reset to it would delete the account, and pods that require it could not be created.
 */
import { Clock, Effect } from "effect"
import { inRealTime } from "../core/Machine.ts"

/** A default object of each namespace. */
export interface Gift {
  readonly plural: "configmaps" | "serviceaccounts"
  readonly kind: string
  readonly name: string
}

/** The namespaces to check, and a look-up of their objects. */
export interface Given {
  /** Namespaces that are not terminating. */
  readonly namespaces: ReadonlyArray<string>
  readonly has: (gift: Gift, namespace: string) => boolean
}

/**
 * The default objects of each namespace, which controllers create.
 *
 * **Source** Kubernetes, `pkg/controller/serviceaccount` and `pkg/controller/certificates/rootcacertpublisher`.
 */
export const GIFTS: ReadonlyArray<Gift> = [
  { plural: "serviceaccounts", kind: "ServiceAccount", name: "default" },
  { plural: "configmaps", kind: "ConfigMap", name: "kube-root-ca.crt" }
]

const WITHIN_MS = 5_000
const EVERY = "20 millis"

/** Returns whether each namespace has each of the objects. */
export const areWhole = ({ has, namespaces }: Given, gifts: ReadonlyArray<Gift> = GIFTS): boolean =>
  gifts.every((gift) => namespaces.every((namespace) => has(gift, namespace)))

/** Polls until all namespaces are complete. **Limits** stops waiting after 5 s. */
export const untilWhole = <E, R>(look: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.gen(function* () {
    const end = (yield* Clock.currentTimeMillis) + WITHIN_MS
    while (!(yield* look) && (yield* Clock.currentTimeMillis) < end) yield* Effect.sleep(EVERY)
  }).pipe(inRealTime)
