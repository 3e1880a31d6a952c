/**
 * The cases of lists of workloads that are data: what they are sorted by, and what they refuse.
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
  ["name=", "invalid_parameter", "name"],
  ["nmae=x", "unknown_parameter", "nmae"],
  ["__proto__=x", "unknown_parameter", "__proto__"]
]
