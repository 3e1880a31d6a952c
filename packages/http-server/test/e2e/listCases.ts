/**
 * The cases of lists of workloads and pods that are data: what they are sorted by, and what they refuse.
 */
import type { Code } from "@quarterdeck/contract/Problem"

export const SORTS = [
  ["name"],
  ["namespace"],
  ["cluster"],
  ["kind"],
  ["status"],
  ["createdAt"],
  ["cpuRequestMillis"],
  ["memoryRequestBytes"]
] as const

/** Statuses of workloads in the order of a list that is sorted by them. */
export const BY_SEVERITY = ["failed", "degraded", "progressing", "paused", "healthy", "completed", "idle"]

/** Queries that are 400: the query, the code and the parameter at fault. */
export const REFUSED: ReadonlyArray<[string, Code, string]> = [
  ["limit=0", "invalid_parameter", "limit"],
  ["limit=5001", "invalid_parameter", "limit"],
  ["limit=1e2", "invalid_parameter", "limit"],
  ["limit=5&limit=6", "invalid_parameter", "limit"],
  ["timeoutMs=30001", "invalid_parameter", "timeoutMs"],
  ["sort=age", "invalid_parameter", "sort"],
  ["order=up", "invalid_parameter", "order"],
  ["consistency=eventual", "invalid_parameter", "consistency"],
  ["namespace=Shop", "invalid_parameter", "namespace[0]"],
  ["kind=deployment", "invalid_parameter", "kind[0]"],
  ["labelSelector=a%3D%3D%3Db", "invalid_parameter", "labelSelector"],
  ["status=sick", "invalid_parameter", "status[0]"],
  ["name=", "invalid_parameter", "name"],
  ["nmae=x", "unknown_parameter", "nmae"],
  ["__proto__=x", "unknown_parameter", "__proto__"]
]

/** The same of events. */
export const EVENT_REFUSED: ReadonlyArray<[string, Code, string]> = [
  ["kind=Event", "unknown_parameter", "kind"],
  ["name=x", "unknown_parameter", "name"],
  ["labelSelector=a%3Db", "unknown_parameter", "labelSelector"],
  ["sort=name", "invalid_parameter", "sort"],
  ["regarding=web", "invalid_parameter", "regarding"],
  ["regarding=pod/web", "invalid_parameter", "regarding"],
  ["regarding=Pod/a&regarding=Pod/b", "invalid_parameter", "regarding"],
  ["type=", "invalid_parameter", "type[0]"],
  ["reason=", "invalid_parameter", "reason[0]"],
  ["namespace=", "invalid_parameter", "namespace[0]"],
  ["limit=0", "invalid_parameter", "limit"]
]

/** The same of pods. */
export const POD_REFUSED: ReadonlyArray<[string, Code, string]> = [
  ["kind=Pod", "unknown_parameter", "kind"],
  ["sort=kind", "invalid_parameter", "sort"],
  ["workload=web", "invalid_parameter", "workload"],
  ["workload=deployment/web", "invalid_parameter", "workload"],
  ["workload=Deployment/a/b", "invalid_parameter", "workload"],
  ["workload=Deployment/a&workload=Deployment/b", "invalid_parameter", "workload"],
  ["node=", "invalid_parameter", "node[0]"],
  ["status=", "invalid_parameter", "status[0]"],
  ["limit=0", "invalid_parameter", "limit"],
  ["namespace=Shop", "invalid_parameter", "namespace[0]"],
  ["nodes=x", "unknown_parameter", "nodes"]
]
