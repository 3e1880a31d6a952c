/**
 * The fields of a price book, and what people call them.
 */
export const PROVIDERS = [
  ["aws", "AWS"],
  ["gcp", "Google Cloud"],
  ["azure", "Azure"],
  ["other", "Others"]
] as const
export type Provider = (typeof PROVIDERS)[number][0]

export const PRICES = [
  ["cpuPerCoreHour", "Core and hour"],
  ["spotCpuPerCoreHour", "Core and hour, spot"],
  ["memoryPerGiBHour", "GiB of memory and hour"],
  ["spotMemoryPerGiBHour", "GiB of memory and hour, spot"],
  ["gpuPerHour", "GPU and hour"],
  ["spotGpuPerHour", "GPU and hour, spot"],
  ["storagePerGiBHour", "GiB of a volume and hour"],
  ["zoneEgressPerGiB", "GiB to another zone"],
  ["regionEgressPerGiB", "GiB to another region"],
  ["internetEgressPerGiB", "GiB to the internet"],
  ["loadBalancerPerHour", "Load balancer and hour"],
  ["clusterPerHour", "Control plane and hour"]
] as const
export type PriceField = (typeof PRICES)[number][0]

const PLACE = ["cluster", "provider", "region"] as const

/** What an override of each resource may be narrowed by, and what it may state. */
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
  egressClass: "To",
  nodePerHour: "Whole machine and hour",
  cpuPerCoreHour: "Core and hour",
  memoryPerGiBHour: "GiB of memory and hour",
  gpuPerHour: "GPU and hour",
  storagePerGiBHour: "GiB and hour",
  egressPerGiB: "GiB",
  loadBalancerPerHour: "Load balancer and hour",
  clusterPerHour: "Control plane and hour",
  discountPercent: "Discount, %",
  validFrom: "Valid from, RFC 3339"
}

/** Fields that take one of a few words. */
export const CHOICES: Readonly<Record<string, ReadonlyArray<string>>> = {
  capacity: ["onDemand", "spot"],
  egressClass: ["zone", "region", "internet"]
}
