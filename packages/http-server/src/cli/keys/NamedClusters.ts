/**
 * Compares the clusters of a key's rule with the existing ones, to report mistyped names.
 */
import { ClusterList } from "@quarterdeck/contract/ClustersGroup"
import type { Rule } from "@quarterdeck/keys/Rule"
import { Effect, Result } from "effect"
import * as ApiClient from "../request/ApiClient.ts"
import { type CommandFailure, failed } from "../print/CommandFailure.ts"
import type { Connection } from "../request/Connection.ts"
import * as MissingNames from "../list/MissingNames.ts"
import * as Pages from "../request/Pages.ts"
import * as Print from "../print/Print.ts"

/** The result of {@link registered}. */
export type Listed<R> = Effect.Effect<ReadonlyArray<string>, CommandFailure, R>

/** Reads the names of all clusters in the current key's scope. **Errors** `CommandFailure`. */
export const registered = Effect.fnUntraced(function* (connection: Connection) {
  const headers = { [connection.clusterHeader]: "*" }
  const { pages, rest } = yield* Pages.read(
    Number.POSITIVE_INFINITY,
    (query) => ApiClient.call(connection, ClusterList, { method: "GET", path: "/api/v1/clusters", query, headers }),
    ({ clusters }) => clusters
  )
  // An incomplete list would report existing clusters as missing.
  if (rest !== undefined) return yield* failed("the list of clusters changed while it was read")
  return pages.flatMap(({ clusters }) => clusters.map(({ name }) => name))
})

/**
 * Notes each cluster of a rule that the server does not list, at most five, with a suggestion of a similar name.
 *
 * **Limits** runs `listed` only if the rule names a cluster. A failure becomes a note, since the key already exists. The
 * server lists only clusters in the current key's scope.
 */
export const note = Effect.fn("NamedClusters.note")(function* <R>(listed: Listed<R>, { targetClusters = [] }: Rule) {
  if (targetClusters.length === 0) return
  const known = yield* Effect.result(listed)
  if (Result.isFailure(known)) {
    return yield* Print.note(`cannot check whether the clusters of the key exist: ${known.failure.lines.join("; ")}`)
  }
  yield* MissingNames.tell({
    names: targetClusters,
    known: known.success,
    absent: (name) => `no cluster is named ${name}: the key applies to it once it is registered`,
    others: "of the key's clusters"
  })
})
