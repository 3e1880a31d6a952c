/**
 * Compares the namespaces of a key's rule with those of its clusters, to report mistyped names.
 */
import type { Rule } from "@quarterdeck/keys/Rule"
import { Effect } from "effect"
import type { Connection } from "../request/Connection.ts"
import * as NamedNamespaces from "../list/NamedNamespaces.ts"
import type { Listed } from "./NamedClusters.ts"

/** Maximum clusters that a request names. So many names of any length fit into a header of 4 KiB. */
const MAX_NAMED = 16

/**
 * Notes each namespace of a rule that no cluster of the key lists, with a suggestion of a similar name.
 *
 * **Limits** sends no request if the rule names no namespace. A failure becomes a note, since the key already exists. Clusters
 * outside the current key's scope are not read.
 */
export const note = Effect.fn("RuleNamespaces.note")(<R>(connection: Connection, listed: Listed<R>, rule: Rule) =>
  noteMissing(connection, listed, rule).pipe(NamedNamespaces.orUnknown)
)

const noteMissing = Effect.fnUntraced(function* <R>(
  connection: Connection,
  listed: Listed<R>,
  { targetClusters, targetNamespaces = [] }: Rule
) {
  const names = targetNamespaces.flatMap(({ namespaceNames }) => namespaceNames)
  const byNameAlone = new Set(
    targetNamespaces.flatMap(({ labelSelector, namespaceNames }) => (labelSelector === undefined ? namespaceNames : []))
  )
  if (names.length === 0) return
  const wanted = new Set<string>(targetClusters)
  // The server refuses a request that names a cluster that does not exist.
  const existing = targetClusters === undefined ? undefined : (yield* listed).filter((name) => wanted.has(name))
  if (existing?.length === 0) return
  yield* NamedNamespaces.note(connection, {
    names,
    headers: {
      [connection.clusterHeader]: existing === undefined || existing.length > MAX_NAMED ? "*" : existing.join("|")
    },
    isWanted: (cluster) => existing === undefined || wanted.has(cluster),
    absent: (name) =>
      `no cluster of the key lists a namespace ${name}: the key applies to it once it exists${byNameAlone.has(name) ? "" : " with the labels of the rule"}`
  })
})
