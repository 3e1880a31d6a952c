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
      "Address of the ClickHouse server that stores the cost history; may contain a user and password. Unset: SQLite in the data directory."
  }),
  usage: withDefault("metrics", {
    path: "cost.usage",
    flag: "usage",
    kind: CostKind.usage,
    description:
      "Source of container usage. metrics: the metrics.k8s.io API of each cluster. prometheus=URL: a Prometheus server. requests: no usage, costs are charged by resource requests alone."
  }),
  usageByCluster: optional({
    path: "cost.usageByCluster",
    flag: "usage-by-cluster",
    kind: CostKind.usageByCluster,
    description: "Source of container usage for individual clusters, instead of cost.usage."
  }),
  usageClusterLabel: optional({
    path: "cost.usageClusterLabel",
    flag: "usage-cluster-label",
    kind: CostKind.labelName,
    description:
      "Prometheus label whose value is the cluster name. Required if one Prometheus serves several clusters. Unset: all series of a Prometheus belong to one cluster."
  }),
  foldedPrefixes: optional({
    path: "cost.foldedPrefixes",
    flag: "cost-folded-prefixes",
    kind: Kind.namePrefixes,
    description:
      "Name prefixes of bare pods and ownerless Jobs to charge as one workload per prefix and namespace, such as spark-task-*. Takes effect when the server starts. Hours that have already ended do not change."
  }),
  accelerators: optional({
    path: "cost.accelerators",
    flag: "cost-accelerators",
    kind: Kind.extendedResources,
    description:
      "Extended resources to charge as GPUs, in addition to those of NVIDIA, AMD and Intel. Examples: google.com/tpu, aws.amazon.com/neuron, habana.ai/gaudi. List one resource per kind of device. Takes effect when the server starts. Hours that have already ended do not change."
  }),
  sampleSeconds: withDefault("60", {
    path: "cost.sampleSeconds",
    flag: "cost-sample-seconds",
    kind: Kind.wholeNumber(10, 600),
    unit: "s",
    description: "Interval between two samples of a cluster."
  }),
  hourlyDays: withDefault("100", {
    path: "cost.hourlyDays",
    flag: "cost-hourly-days",
    kind: Kind.wholeNumber(1, 3_650),
    unit: "days",
    description: "Days that hourly costs are kept; at most cost.retentionDays."
  }),
  retentionDays: withDefault("400", {
    path: "cost.retentionDays",
    flag: "cost-retention-days",
    kind: Kind.wholeNumber(1, 3_650),
    unit: "days",
    description: "Days that daily costs are kept. Reports reach back at most this far."
  })
}
