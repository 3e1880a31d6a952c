/**
 * The settings of requests that fan out to clusters.
 */
import { MAX_TIMEOUT_MS } from "@quarterdeck/contract/ListParameters"
import * as Kind from "./Kind.ts"
import { withDefault } from "./Row.ts"

export const fanOut = {
  fanOutTimeoutMs: withDefault("3000", {
    path: "fanOut.timeoutMs",
    flag: "fan-out-timeout-ms",
    kind: Kind.wholeNumber(1, MAX_TIMEOUT_MS),
    unit: "ms",
    description: "Deadline of a request that sets none; at most fanOut.maxTimeoutMs."
  }),
  fanOutMaxTimeoutMs: withDefault(String(MAX_TIMEOUT_MS), {
    path: "fanOut.maxTimeoutMs",
    flag: "fan-out-max-timeout-ms",
    kind: Kind.wholeNumber(1, MAX_TIMEOUT_MS),
    unit: "ms",
    description: "Longest deadline that a request may set."
  }),
  fanOutPerCluster: withDefault("4", {
    path: "fanOut.perCluster",
    flag: "fan-out-per-cluster",
    kind: Kind.wholeNumber(1, 64),
    description: "Maximum concurrent reads of one cluster, and separately of concurrent writes to it."
  }),
  fanOutMaxNames: withDefault("64", {
    path: "fanOut.maxNames",
    flag: "fan-out-max-names",
    kind: Kind.wholeNumber(1, 1_024),
    description: "Maximum number of clusters that one request may name. The wildcard * is not limited."
  }),
  fanOutMaxObjects: withDefault("500000", {
    path: "fanOut.maxObjects",
    flag: "fan-out-max-objects",
    kind: Kind.wholeNumber(1, 10_000_000),
    description:
      "Maximum objects of one kind to read from one cluster. Beyond it, the cluster reports the error cluster_too_large."
  })
}
