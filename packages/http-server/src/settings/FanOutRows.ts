/**
 * The settings of questions to many clusters, and of how much is read of one.
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
    description: "Deadline of an answer when the request gives none; not above fanOut.maxTimeoutMs."
  }),
  fanOutMaxTimeoutMs: withDefault(String(MAX_TIMEOUT_MS), {
    path: "fanOut.maxTimeoutMs",
    flag: "fan-out-max-timeout-ms",
    kind: Kind.wholeNumber(1, MAX_TIMEOUT_MS),
    unit: "ms",
    description: "Longest deadline that a request may give."
  }),
  fanOutPerCluster: withDefault("4", {
    path: "fanOut.perCluster",
    flag: "fan-out-per-cluster",
    kind: Kind.wholeNumber(1, 64),
    description: "Requests that may run against one cluster at once, and as many changes beside them."
  }),
  fanOutMaxNames: withDefault("64", {
    path: "fanOut.maxNames",
    flag: "fan-out-max-names",
    kind: Kind.wholeNumber(1, 1_024),
    description: "Clusters that one request may name; * is not limited."
  }),
  fanOutMaxObjects: withDefault("500000", {
    path: "fanOut.maxObjects",
    flag: "fan-out-max-objects",
    kind: Kind.wholeNumber(1, 10_000_000),
    description:
      "Objects of one kind that are read from one cluster at most. A cluster that has more of a kind has the error cluster_too_large."
  })
}
