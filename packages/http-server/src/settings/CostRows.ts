/**
 * The settings of costs.
 */
import * as CostKind from "./CostKind.ts"
import * as Kind from "./Kind.ts"
import { optional, withDefault } from "./Row.ts"

export const cost = {
  costUrl: optional({
    path: "cost.url",
    flag: "cost-url",
    kind: CostKind.storeAddress,
    description:
      "ClickHouse server that keeps the history of costs, user and password in it where need be. Unset: SQLite in the data directory."
  }),
  usage: withDefault("metrics", {
    path: "cost.usage",
    flag: "usage",
    kind: CostKind.usage,
    description:
      "Where the usage of containers comes from: metrics.k8s.io of each cluster, a Prometheus, or nowhere: then requests alone are charged."
  }),
  usageByCluster: optional({
    path: "cost.usageByCluster",
    flag: "usage-by-cluster",
    kind: CostKind.usageByCluster,
    description: "Sources of single clusters, in the place of cost.usage."
  }),
  usageClusterLabel: optional({
    path: "cost.usageClusterLabel",
    flag: "usage-cluster-label",
    kind: CostKind.labelName,
    description:
      "Label that tells the clusters of one Prometheus apart; its value is the cluster's name. Needed where one Prometheus is the source of several clusters. Unset: all that a Prometheus has is taken for one cluster."
  }),
  foldedPrefixes: optional({
    path: "cost.foldedPrefixes",
    flag: "cost-folded-prefixes",
    kind: Kind.namePrefixes,
    description:
      "Bare pods and Jobs without an owner whose names begin with one of these are charged as one workload of each namespace, such as spark-task-*. Counts from the start of the server; closed hours stay as they are."
  }),
  accelerators: optional({
    path: "cost.accelerators",
    flag: "cost-accelerators",
    kind: Kind.extendedResources,
    description:
      "Extended resources whose devices are charged as GPUs, beside those of NVIDIA, AMD and Intel, such as google.com/tpu, aws.amazon.com/neuron or habana.ai/gaudi. List one resource for each kind of device. Counts from the start of the server; closed hours stay as they are."
  }),
  sampleSeconds: withDefault("60", {
    path: "cost.sampleSeconds",
    flag: "cost-sample-seconds",
    kind: Kind.wholeNumber(10, 600),
    unit: "s",
    description: "How often each cluster is sampled."
  }),
  hourlyDays: withDefault("100", {
    path: "cost.hourlyDays",
    flag: "cost-hourly-days",
    kind: Kind.wholeNumber(1, 3_650),
    unit: "days",
    description: "How long costs are kept by the hour; not above cost.retentionDays."
  }),
  retentionDays: withDefault("400", {
    path: "cost.retentionDays",
    flag: "cost-retention-days",
    kind: Kind.wholeNumber(1, 3_650),
    unit: "days",
    description: "How long costs are kept by the day; no report reaches further back."
  })
}
