/**
 * Tells the audit what a body names, before anything of it is decided.
 */
import { BulkActionRequest } from "@quarterdeck/contract/WorkloadsGroup"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Effect, Option, Result, Schema } from "effect"
import * as RequestRecord from "../request/RequestRecord.ts"
import * as StrictJson from "../request/StrictJson.ts"

/** Where many workloads are changed at once. */
const ACTIONS_PATH = "/api/v1/workloads/actions"

/** Where a cluster is registered. */
const CLUSTERS_PATH = "/api/v1/clusters"

/** The rest of such a body is secret. */
const decodeCluster = Schema.decodeUnknownOption(Schema.Struct({ name: ClusterName }))

const decode = Schema.decodeUnknownOption(BulkActionRequest, { onExcessProperty: "error" })

/**
 * Notes which workloads, or which cluster, the body of the current request names, if that is what it names.
 *
 * **Shape** `found` where the handler finds the workloads by label: it begins the audit of the request once it has them. A
 * body that does not decode is left out, for it may hold a secret; so is the text of a selector.
 */
export const note = Effect.fnUntraced(function* (path: string, text: string): Effect.fn.Return<"named" | "found"> {
  if (path === CLUSTERS_PATH) {
    const cluster = Option.getOrUndefined(Option.flatMap(Result.getSuccess(StrictJson.parse(text)), decodeCluster))
    if (cluster !== undefined) yield* RequestRecord.note({ target: { asked: cluster.name, clusters: [] } })
    return "named"
  }
  if (path !== ACTIONS_PATH) return "named"
  const body = Option.getOrUndefined(Option.flatMap(Result.getSuccess(StrictJson.parse(text)), decode))
  if (body === undefined) return "named"
  const { action, targets } = body
  if (targets === undefined) {
    yield* RequestRecord.note({ target: { asked: "", clusters: [], object: `${action}: workloads by label` } })
    return "found"
  }
  yield* RequestRecord.note({
    target: {
      asked: [...new Set(targets.map(({ cluster }) => cluster))].join("|"),
      clusters: [],
      namespaces: namespacesOf(targets),
      object: objectOf(action, targets.length)
    }
  })
  return "named"
})

/** The namespaces of workloads, each once. */
export const namespacesOf = (targets: ReadonlyArray<{ readonly namespace: string }>): ReadonlyArray<string> => [
  ...new Set(targets.map(({ namespace }) => namespace))
]

/** Names what is done to how many workloads. **Example** `restart: 3 workloads` */
export const objectOf = (action: string, count: number): string =>
  `${action}: ${count} ${count === 1 ? "workload" : "workloads"}`
