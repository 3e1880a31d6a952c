/**
 * Default prices: list prices of each large provider in US dollars.
 */
import { Schema } from "effect"

/** A price in the book's units. **Limits** from 0 to a million. */
export const Price = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: 1_000_000 }, { expected: "a price from 0 to 1000000" })
)

/**
 * The prices of one provider.
 *
 * **Units** per core-hour, GiB-hour (2^30 bytes) of memory and GPU-hour, on demand and spot; per GiB-hour of a volume; per GiB
 * of egress to another zone, another region and the internet; per hour of a load balancer and of a control plane.
 */
export const ProviderPrices = Schema.Struct({
  cpuPerCoreHour: Price,
  spotCpuPerCoreHour: Price,
  memoryPerGiBHour: Price,
  spotMemoryPerGiBHour: Price,
  gpuPerHour: Price,
  spotGpuPerHour: Price,
  storagePerGiBHour: Price,
  zoneEgressPerGiB: Price,
  regionEgressPerGiB: Price,
  internetEgressPerGiB: Price,
  loadBalancerPerHour: Price,
  clusterPerHour: Price
}).annotate({ identifier: "ProviderPrices" })
export type ProviderPrices = typeof ProviderPrices.Type

/** Default prices by provider. `other` applies to all other providers. */
export const DefaultPrices = Schema.Struct({
  aws: ProviderPrices,
  gcp: ProviderPrices,
  azure: ProviderPrices,
  other: ProviderPrices
}).annotate({ identifier: "DefaultPrices" })
export type DefaultPrices = typeof DefaultPrices.Type

/** Price of storage: US$0.04 per GiB and month. **Source** OpenCost `configs/default.json`. */
const STORAGE_PER_GIB_HOUR = 0.00005479452

/**
 * List prices of Google Cloud.
 *
 * **Source** OpenCost `configs/gcp.json` for the provider, `configs/default.json` for the GPU; `DefaultPricing` for
 * spot GPUs.
 */
const gcp: ProviderPrices = {
  cpuPerCoreHour: 0.031611,
  spotCpuPerCoreHour: 0.006655,
  memoryPerGiBHour: 0.004237,
  spotMemoryPerGiBHour: 0.000892,
  gpuPerHour: 0.95,
  spotGpuPerHour: 0.308,
  storagePerGiBHour: STORAGE_PER_GIB_HOUR,
  zoneEgressPerGiB: 0.01,
  regionEgressPerGiB: 0.01,
  internetEgressPerGiB: 0.12,
  loadBalancerPerHour: 0.025,
  clusterPerHour: 0.1
}

/**
 * The default prices of a new book.
 *
 * **Source** OpenCost. Nodes, volumes and egress: `configs/{aws,azure,gcp,default}.json`. Spot GPUs: `DefaultPricing()`. Load
 * balancers, hourly: `LoadBalancerPricing` (0.025 in the AWS, Azure and GCP providers), `firstFiveForwardingRulesCost` (0.0 in
 * `default.json`). Control planes, hourly: `clusterManagementPrice` (0.10 for EKS and GKE). Azure's prices are of April 2019.
 * Azure's control plane is free in the Free tier, and Azure's spot GPUs have the on-demand price.
 */
export const defaultPrices: DefaultPrices = {
  aws: { ...gcp, internetEgressPerGiB: 0.143 },
  gcp,
  azure: {
    ...gcp,
    cpuPerCoreHour: 0.039,
    spotCpuPerCoreHour: 0.007764,
    memoryPerGiBHour: 0.001917,
    spotMemoryPerGiBHour: 0.000382,
    gpuPerHour: 0.0428925,
    spotGpuPerHour: 0.0428925,
    internetEgressPerGiB: 0.0725,
    clusterPerHour: 0
  },
  other: { ...gcp, loadBalancerPerHour: 0, clusterPerHour: 0 }
}

/** Returns the prices of a provider. **Shape** `provider` as in price classes. */
export const pricesOf = (prices: DefaultPrices, provider: string): ProviderPrices =>
  provider === "aws" || provider === "gcp" || provider === "azure" ? prices[provider] : prices.other
