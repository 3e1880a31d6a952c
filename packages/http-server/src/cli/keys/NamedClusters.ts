/**
 * The clusters that a key names, held against those that there are: a slip of the fingers makes a key that reaches nothing.
 */
import { ClusterList } from "@quarterdeck/contract/ClustersGroup"
import type { Rule } from "@quarterdeck/keys/Rule"
import { Effect, Result } from "effect"
import * as Nearest from "../../settings/Nearest.ts"
import * as ApiClient from "../ApiClient.ts"
import { failed } from "../CommandFailure.ts"
import type { Connection } from "../Connection.ts"
import * as Pages from "../Pages.ts"
import * as Print from "../Print.ts"

/** More names than one has mistyped: a plan, which needs no line each. */
const MAX_TOLD = 5

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
 * **Limits** asks nothing where the rule names no cluster; what it cannot read it says, for the key is there already. The key
 * that asks sees clusters of its own scope alone: one that has just narrowed itself is told of no other.
 */
export const note = Effect.fn("NamedClusters.note")(function* (connection: Connection, { targetClusters = [] }: Rule) {
  if (targetClusters.length === 0) return
  const known = yield* Effect.result(registered(connection))
  if (Result.isFailure(known)) {
    return yield* Print.note(
      `whether the clusters of the key are there cannot be told: ${known.failure.lines.join("; ")}`
    )
  }
  const missing = targetClusters.filter((name) => !known.success.includes(name))
  const others = known.success.filter((name) => !targetClusters.includes(name))
  for (const name of missing.slice(0, MAX_TOLD)) {
    const meant = Nearest.suggestion(Nearest.find(name, others))
    yield* Print.note(`no cluster is listed as ${name}: the key reaches it once one is${meant}`)
  }
  const untold = missing.length - MAX_TOLD
  if (untold > 0) yield* Print.note(`nor are others of the key's clusters: ${untold}`)
})
