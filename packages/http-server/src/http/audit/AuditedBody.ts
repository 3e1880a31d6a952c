/**
 * Reads the objects that a request's body names, for the audit of a request whose target is not resolved yet.
 */
import { BulkActionRequest } from "@quarterdeck/contract/WorkloadsGroup"
import type { AuditFacts } from "@quarterdeck/keys/AuditEvent"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Option, Result, Schema } from "effect"
import * as StrictJson from "../request/StrictJson.ts"

/** Path of bulk actions. */
const ACTIONS_PATH = "/api/v1/workloads/actions"

/** Path of cluster registration. */
const CLUSTERS_PATH = "/api/v1/clusters"

/** Reads only the name: the rest of the body is secret. */
const decodeCluster = Schema.decodeUnknownOption(Schema.Struct({ name: ClusterName }))

const decode = Schema.decodeUnknownOption(BulkActionRequest, { onExcessProperty: "error" })

/**
 * The objects that a request's body names. **Shape** `isFound` is true if the body names no objects but selects
 * workloads by label. The handler must then find them, and it writes the first audit event instead of the guard.
 */
interface Audited {
  readonly target?: AuditFacts["target"]
  readonly isFound: boolean
}

const UNNAMED: Audited = { isFound: false }

/**
 * Reads the workloads, or the cluster, that the body of a route names.
 *
 * **Shape** a body that does not decode, and the text of a selector, are omitted because they may contain a secret.
 */
export const read = (path: string, text: string): Audited => {
  if (path === CLUSTERS_PATH) {
    const cluster = Option.getOrUndefined(Option.flatMap(Result.getSuccess(StrictJson.parse(text)), decodeCluster))
    return cluster === undefined ? UNNAMED : { target: { asked: cluster.name, clusters: [] }, isFound: false }
  }
  if (path !== ACTIONS_PATH) return UNNAMED
  const body = Option.getOrUndefined(Option.flatMap(Result.getSuccess(StrictJson.parse(text)), decode))
  if (body === undefined) return UNNAMED
  const { action, targets } = body
  if (targets === undefined) {
    return { target: { asked: "", clusters: [], object: `${action}: workloads by label` }, isFound: true }
  }
  return {
    target: {
      asked: [...new Set(targets.map(({ cluster }) => cluster))].join("|"),
      clusters: [],
      namespaces: namespacesOf(targets),
      object: objectOf(action, targets.length)
    },
    isFound: false
  }
}

/** Returns the distinct namespaces of workloads. */
export const namespacesOf = (targets: ReadonlyArray<{ readonly namespace: string }>): ReadonlyArray<string> => [
  ...new Set(targets.map(({ namespace }) => namespace))
]

/** Prints an action and its number of workloads. **Example** `restart: 3 workloads` */
export const objectOf = (action: string, count: number): string =>
  `${action}: ${count} ${count === 1 ? "workload" : "workloads"}`
