/**
 * The clusters that a key names, held against those that there are: a slip of the fingers makes a key that reaches nothing.
 */
import { ClusterList } from "@quarterdeck/contract/ClustersGroup"
import type { Rule } from "@quarterdeck/keys/Rule"
import { Effect, Result } from "effect"
import * as Nearest from "../../settings/Nearest.ts"
import * as ApiClient from "../ApiClient.ts"
import type { Connection } from "../Connection.ts"
import * as Pages from "../Pages.ts"
import * as Print from "../Print.ts"

/** More names than one has mistyped: a plan, which needs no line each. */
const MAX_TOLD = 5

const registered = Effect.fnUntraced(function* (connection: Connection) {
  const headers = { [connection.clusterHeader]: "*" }
  const { pages } = yield* Pages.read(
    Number.POSITIVE_INFINITY,
    (query) => ApiClient.call(connection, ClusterList, { method: "GET", path: "/api/v1/clusters", query, headers }),
    ({ clusters }) => clusters
  )
  return pages.flatMap(({ clusters }) => clusters.map(({ name }) => name))
})

/**
 * Says on standard error which clusters of a rule are not registered, and what may have been meant.
 *
 * **Limits** asks nothing where the rule names no cluster; what it cannot read it says, for the key is there already.
 */
export const note = Effect.fn("NamedClusters.note")(function* (connection: Connection, { targetClusters = [] }: Rule) {
  if (targetClusters.length === 0) return
  const known = yield* Effect.result(registered(connection))
  if (Result.isFailure(known)) {
    return yield* Print.note(`whether its clusters are registered cannot be told: ${known.failure.lines.join("; ")}`)
  }
  const missing = targetClusters.filter((name) => !known.success.includes(name))
  for (const name of missing.slice(0, MAX_TOLD)) {
    const meant = Nearest.suggestion(Nearest.find(name, known.success))
    yield* Print.note(`no cluster is registered as ${name}: the key reaches it once there is one${meant}`)
  }
  if (missing.length > MAX_TOLD) {
    yield* Print.note(`${missing.length - MAX_TOLD} more of its clusters are not registered either`)
  }
})
