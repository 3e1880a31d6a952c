/**
 * Checks that a key may access the namespaces of many targets, before anything is read from them.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import { Effect } from "effect"
import type { ClusterReader } from "../cache/ClusterReader.ts"
import type { FanOut } from "../list/FanOut.ts"
import { NamespaceForbidden } from "../list/ListError.ts"
import type { Cluster } from "../registry/Cluster.ts"

/** The targets to check. **Units** `timeoutMs` for reading current namespace labels, if access depends on them. */
export interface BulkQuestion {
  readonly targets: ReadonlyArray<{ readonly cluster: ClusterName; readonly namespace: string }>
  readonly namespaces: NamespaceFilter.NamespaceFilter
  readonly timeoutMs: number
}

/**
 * Makes the check. It accepts all targets or rejects the request.
 *
 * **Shape** accepts a target if its cluster cannot report namespace labels. The action on that target checks again, and
 * only that action fails.
 *
 * **Errors** `NamespaceForbidden` for the first target that is out of scope, or whose labels are needed but not
 * confirmed as current.
 *
 * **Limits** no request if access depends only on namespace names; one request to each cluster if it depends on labels.
 */
export const make = (fanOut: FanOut["Service"], reader: ClusterReader["Service"]) =>
  Effect.fnUntraced(function* ({ namespaces, targets, timeoutMs }: BulkQuestion) {
    const unnamed = targets.filter(({ namespace }) => !NamespaceFilter.matches(namespaces, namespace, undefined))
    const [first] = unnamed
    if (first === undefined) return
    if (!NamespaceFilter.needsLabels(namespaces)) return yield* new NamespaceForbidden({ namespace: first.namespace })
    const question = { kinds: ["Namespace"], consistency: "cache", timeoutMs, needsLabels: true } as const
    const ask = (cluster: Cluster) =>
      Effect.map(reader.read(cluster, question), (reading) => ({
        value: (namespace: string) => NamespaceFilter.matches(namespaces, namespace, reading.labels(namespace)),
        count: 1,
        ageMs: reading.ageMs,
        isStale: reading.isStale,
        missingKinds: reading.missingKinds
      }))
    const clusters = [...new Set(unnamed.map(({ cluster }) => cluster))]
    const replies = yield* fanOut.askEach(clusters, { source: "cache", timeoutMs }, ask)
    const reaches = new Map(replies.map(({ value }, index) => [clusters[index], value]))
    const outside = unnamed.find(({ cluster, namespace }) => reaches.get(cluster)?.(namespace) === false)
    if (outside !== undefined) return yield* new NamespaceForbidden({ namespace: outside.namespace })
  })
