/**
 * Fields of the price book and their labels.
 */
export const PROVIDERS = [
  ["aws", "AWS"],
  ["gcp", "Google Cloud"],
  ["azure", "Azure"],
  ["other", "Others"]
] as const
export type Provider = (typeof PROVIDERS)[number][0]

export const PRICES = [
  ["cpuPerCoreHour", "Core hour"],
  ["spotCpuPerCoreHour", "Core hour, spot"],
  ["memoryPerGiBHour", "GiB hour of memory"],
  ["spotMemoryPerGiBHour", "GiB hour of memory, spot"],
  ["gpuPerHour", "GPU hour"],
  ["spotGpuPerHour", "GPU hour, spot"],
  ["storagePerGiBHour", "GiB hour of storage"],
  ["zoneEgressPerGiB", "GiB to another zone"],
  ["regionEgressPerGiB", "GiB to another region"],
  ["internetEgressPerGiB", "GiB to the internet"],
  ["loadBalancerPerHour", "Load balancer hour"],
  ["clusterPerHour", "Control plane hour"]
] as const
export type PriceField = (typeof PRICES)[number][0]

const PLACE = ["cluster", "provider", "region"] as const

/** Conditions and prices of an override of each resource. */
export const RESOURCES = {
  node: {
    name: "Machines",
    match: [...PLACE, "instanceType", "capacity", "gpuModel"],
    prices: ["nodePerHour", "cpuPerCoreHour", "memoryPerGiBHour", "gpuPerHour"]
  },
  storage: { name: "Volumes", match: [...PLACE, "storageClass"], prices: ["storagePerGiBHour"] },
  egress: { name: "Traffic", match: [...PLACE, "egressClass"], prices: ["egressPerGiB"] },
  loadBalancer: { name: "Load balancers", match: PLACE, prices: ["loadBalancerPerHour"] },
  cluster: { name: "Control planes", match: PLACE, prices: ["clusterPerHour"] }
} as const
export type Resource = keyof typeof RESOURCES

export const isResource = (text: string): text is Resource => Object.hasOwn(RESOURCES, text)

export const FIELD_NAMES: Readonly<Record<string, string>> = {
  cluster: "Cluster",
  provider: "Provider",
  region: "Region",
  instanceType: "Instance type",
  capacity: "Capacity",
  gpuModel: "GPU model",
  storageClass: "Storage class",
  egressClass: "Destination",
  nodePerHour: "Machine hour",
  cpuPerCoreHour: "Core hour",
  memoryPerGiBHour: "GiB hour of memory",
  gpuPerHour: "GPU hour",
  storagePerGiBHour: "GiB hour",
  egressPerGiB: "GiB",
  loadBalancerPerHour: "Load balancer hour",
  clusterPerHour: "Control plane hour",
  discountPercent: "Discount, %",
  validFrom: "Valid from, RFC 3339"
}

/** Fields with a list of choices. */
export const CHOICES: Readonly<Record<string, ReadonlyArray<string>>> = {
  capacity: ["onDemand", "spot"],
  egressClass: ["zone", "region", "internet"]
}
