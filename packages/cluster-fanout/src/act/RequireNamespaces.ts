/**
 * Decides whether a key reaches the namespaces of many targets, before anything of any of them is asked for.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import { Effect } from "effect"
import type { ClusterReader } from "../cache/ClusterReader.ts"
import type { FanOut } from "../list/FanOut.ts"
import { NamespaceForbidden } from "../list/ListError.ts"
import type { Cluster } from "../registry/Cluster.ts"

/** What is asked. **Units** `timeoutMs` for the proof of labels, where they decide. */
export interface BulkQuestion {
  readonly targets: ReadonlyArray<{ readonly cluster: ClusterName; readonly namespace: string }>
  readonly namespaces: NamespaceFilter.NamespaceFilter
  readonly timeoutMs: number
}

/**
 * Makes the function that lets all of them through, or refuses all.
 *
 * **Shape** a target of a cluster that cannot tell its labels passes: what is done to it asks again, and fails by itself.
 *
 * **Errors** `NamespaceForbidden` for the first that is out of reach, also where labels decide that nobody proves.
 *
 * **Limits** asks nobody where names decide, and each cluster once where labels do.
 */
export const make = (fanOut: FanOut["Service"], reader: ClusterReader["Service"]) =>
  Effect.fnUntraced(function* ({ namespaces, targets, timeoutMs }: BulkQuestion) {
    const unnamed = targets.filter(({ namespace }) => !NamespaceFilter.matches(namespaces, namespace, undefined))
    const [first] = unnamed
    if (first === undefined) return
    if (!NamespaceFilter.needsLabels(namespaces)) return yield* new NamespaceForbidden({ namespace: first.namespace })
    const question = { kinds: ["Namespace"], consistency: "cache", timeoutMs, needsLabels: true } as const
    const ask = (asked: Cluster) =>
      Effect.map(reader.read(asked, question), (reading) => ({
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
