/**
 * Checks that a key may access one namespace of one cluster, before anything is read from it.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import { Effect } from "effect"
import type { ClusterReader } from "../cache/ClusterReader.ts"
import type { FanOut } from "../list/FanOut.ts"
import { NamespaceForbidden } from "../list/ListError.ts"
import type { Cluster } from "../registry/Cluster.ts"

/** The namespace to check. **Units** `timeoutMs` for reading current namespace labels, if access depends on them. */
export interface NamespaceQuestion {
  readonly cluster: ClusterName
  readonly namespace: string
  readonly namespaces: NamespaceFilter.NamespaceFilter
  readonly timeoutMs: number
}

/**
 * Makes the check.
 *
 * **Errors** `NamespaceForbidden` if the namespace is out of scope, or if access depends on labels that are not
 * confirmed as current; `FanOutFailed` if the cluster does not answer.
 *
 * **Limits** no request if access depends only on the namespace's name. Labels come from the cluster's cache.
 */
export const make = (fanOut: FanOut["Service"], reader: ClusterReader["Service"]) =>
  Effect.fnUntraced(function* ({ cluster, namespace, namespaces, timeoutMs }: NamespaceQuestion) {
    if (NamespaceFilter.matches(namespaces, namespace, undefined)) return
    if (!NamespaceFilter.needsLabels(namespaces)) return yield* new NamespaceForbidden({ namespace })
    const question = { kinds: ["Namespace"], consistency: "cache", timeoutMs, needsLabels: true } as const
    const labels = (target: Cluster) =>
      Effect.map(reader.read(target, question), (reading) => ({
        value: NamespaceFilter.matches(namespaces, namespace, reading.labels(namespace)),
        count: 1,
        ageMs: reading.ageMs,
        isStale: reading.isStale,
        missingKinds: reading.missingKinds
      }))
    const replies = yield* fanOut.ask([cluster], { source: "cache", timeoutMs }, labels)
    if (!replies.some(({ value }) => value === true)) return yield* new NamespaceForbidden({ namespace })
  })
