/**
 * The clusters that a key names, held against those that there are: a slip of the fingers makes a key that reaches nothing.
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

/** The names of all clusters of the asking key's scope, as {@link registered} reads them. */
export type Listed<R> = Effect.Effect<ReadonlyArray<string>, CommandFailure, R>

/** Reads the names of all clusters of the asking key's scope. **Errors** `CommandFailure`. */
export const registered = Effect.fnUntraced(function* (connection: Connection) {
  const headers = { [connection.clusterHeader]: "*" }
  const { pages, rest } = yield* Pages.read(
    Number.POSITIVE_INFINITY,
    (query) => ApiClient.call(connection, ClusterList, { method: "GET", path: "/api/v1/clusters", query, headers }),
    ({ clusters }) => clusters
  )
  // A list that ends before its end would make clusters missing that are there.
  if (rest !== undefined) return yield* failed("the list of clusters changed while it was read")
  return pages.flatMap(({ clusters }) => clusters.map(({ name }) => name))
})

/**
 * Says on standard error which clusters of a key's rule the list of clusters does not have, five at most, and what may have been
 * meant.
 *
 * **Limits** asks for what is `listed` only where the rule names a cluster; what it cannot read it says, for the key is there
 * already. The key that asks sees clusters of its own scope alone: one that has just narrowed itself is told of no other.
 */
export const note = Effect.fn("NamedClusters.note")(function* <R>(listed: Listed<R>, { targetClusters = [] }: Rule) {
  if (targetClusters.length === 0) return
  const known = yield* Effect.result(listed)
  if (Result.isFailure(known)) {
    return yield* Print.note(
      `whether the clusters of the key are there cannot be told: ${known.failure.lines.join("; ")}`
    )
  }
  yield* MissingNames.tell({
    names: targetClusters,
    known: known.success,
    absent: (name) => `no cluster is listed as ${name}: the key reaches it once one is`,
    others: "of the key's clusters"
  })
})
