/**
 * The namespaces that a key's rule names, held against those that its clusters have.
 */
import type { Rule } from "@quarterdeck/keys/Rule"
import { Effect } from "effect"
import type { Connection } from "../request/Connection.ts"
import * as NamedNamespaces from "../list/NamedNamespaces.ts"
import type { Listed } from "./NamedClusters.ts"

/** More names than this go into no header of 4 KiB, whatever their length, and a server may be set to take few. */
const MAX_ASKED = 16

/**
 * Says on standard error which of them are not there, and what may have been meant.
 *
 * **Limits** asks nothing where the rule names none; what it cannot read it says, for the key is there already. Of clusters that
 * the asking key does not reach nothing is known.
 */
export const note = Effect.fn("RuleNamespaces.note")(<R>(connection: Connection, listed: Listed<R>, rule: Rule) =>
  tell(connection, listed, rule).pipe(NamedNamespaces.orUnknown)
)

const tell = Effect.fnUntraced(function* <R>(
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
  // A request that names a cluster which is not there is refused whole.
  const asked = targetClusters === undefined ? undefined : (yield* listed).filter((it) => wanted.has(it))
  if (asked?.length === 0) return
  yield* NamedNamespaces.note(connection, {
    names,
    headers: {
      [connection.clusterHeader]: asked === undefined || asked.length > MAX_ASKED ? "*" : asked.join("|")
    },
    isWanted: (cluster) => asked === undefined || wanted.has(cluster),
    absent: (name) =>
      `no cluster of the key lists a namespace ${name}: the key reaches it once one does${byNameAlone.has(name) ? "" : ", with the labels of its rule"}`
  })
})
