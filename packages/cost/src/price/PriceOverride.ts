/**
 * A price of one's own for some machines, volumes, traffic, load balancers or clusters.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"
import { Price } from "./DefaultPrices.ts"
import type { RateClass } from "../hour/Hour.ts"
import { Instant, parseRfc3339 } from "../hour/Instant.ts"
import type { Machine } from "./NodePriceSplit.ts"

/** Kinds of traffic, by where it goes. */
const EGRESS_CLASSES = ["zone", "region", "internet"] as const
export type EgressClass = (typeof EGRESS_CLASSES)[number]

const length = { expected: "1 to 253 characters" }
const Text = Schema.String.check(Schema.isMinLength(1, length), Schema.isMaxLength(253, length))
const Percent = Schema.Finite.check(
  Schema.isBetween({ minimum: 0, maximum: 100 }, { expected: "a percentage from 0 to 100" })
)

const place = {
  cluster: Schema.optionalKey(ClusterName),
  provider: Schema.optionalKey(Text),
  region: Schema.optionalKey(Text)
}
const terms = {
  discountPercent: Schema.optionalKey(Percent),
  validFrom: Schema.optionalKey(Instant)
}

const NodeOverride = Schema.Struct({
  resource: Schema.Literal("node"),
  match: Schema.Struct({
    ...place,
    instanceType: Schema.optionalKey(Text),
    capacity: Schema.optionalKey(Schema.Literals(["spot", "onDemand"])),
    gpuModel: Schema.optionalKey(Text)
  }),
  nodePerHour: Schema.optionalKey(Price),
  cpuPerCoreHour: Schema.optionalKey(Price),
  memoryPerGiBHour: Schema.optionalKey(Price),
  gpuPerHour: Schema.optionalKey(Price),
  ...terms
})
  .check(
    Schema.makeFilter(
      ({ cpuPerCoreHour, gpuPerHour, memoryPerGiBHour, nodePerHour }) =>
        nodePerHour === undefined
        || (cpuPerCoreHour === undefined && memoryPerGiBHour === undefined && gpuPerHour === undefined) || {
          path: ["nodePerHour"],
          issue: "is the price of the whole node: give it alone, or the prices of its parts"
        }
    )
  )
  .annotate({ identifier: "NodePriceOverride" })

const StorageOverride = Schema.Struct({
  resource: Schema.Literal("storage"),
  match: Schema.Struct({ ...place, storageClass: Schema.optionalKey(Text) }),
  storagePerGiBHour: Schema.optionalKey(Price),
  ...terms
}).annotate({ identifier: "StoragePriceOverride" })

const EgressOverride = Schema.Struct({
  resource: Schema.Literal("egress"),
  match: Schema.Struct({ ...place, egressClass: Schema.optionalKey(Schema.Literals(EGRESS_CLASSES)) }),
  egressPerGiB: Schema.optionalKey(Price),
  ...terms
}).annotate({ identifier: "EgressPriceOverride" })

const LoadBalancerOverride = Schema.Struct({
  resource: Schema.Literal("loadBalancer"),
  match: Schema.Struct(place),
  loadBalancerPerHour: Schema.optionalKey(Price),
  ...terms
}).annotate({ identifier: "LoadBalancerPriceOverride" })

const ClusterOverride = Schema.Struct({
  resource: Schema.Literal("cluster"),
  match: Schema.Struct(place),
  clusterPerHour: Schema.optionalKey(Price),
  ...terms
}).annotate({ identifier: "ClusterPriceOverride" })

const PRICES: ReadonlySet<string> = new Set([
  "nodePerHour",
  "cpuPerCoreHour",
  "memoryPerGiBHour",
  "gpuPerHour",
  "storagePerGiBHour",
  "egressPerGiB",
  "loadBalancerPerHour",
  "clusterPerHour"
])

/**
 * One override of a price book.
 *
 * **Shape** `match` names what it holds for, by equality: a field that is left out matches all, `{}` everything. At least
 * one price or a discount. `nodePerHour` is the price of the whole machine, split over its parts. `validFrom` is the
 * instant from which on it counts; without it, it counts from when it was written.
 */
export const PriceOverride = Schema.Union([
  NodeOverride,
  StorageOverride,
  EgressOverride,
  LoadBalancerOverride,
  ClusterOverride
]).check(
  Schema.makeFilter(
    (override) =>
      override.discountPercent !== undefined
      || Object.keys(override).some((field) => PRICES.has(field))
      || "needs a price or discountPercent"
  )
)
export type PriceOverride = typeof PriceOverride.Type
export type Resource = PriceOverride["resource"]
export type OverrideOf<R extends Resource> = Extract<PriceOverride, { readonly resource: R }>

/** What a price is asked for. **Shape** `storageClass` is that of a volume, and counts for volumes alone. */
export interface Subject {
  readonly cluster: ClusterName
  readonly rateClass: RateClass
  /** What one machine of the class has; without it the price of a whole node cannot be split, and does not count. */
  readonly machine?: Machine | undefined
  readonly storageClass?: string | undefined
}

/** The fields of a match, what tells most first. */
const FIELDS = [
  "cluster",
  "instanceType",
  "gpuModel",
  "storageClass",
  "egressClass",
  "capacity",
  "region",
  "provider"
] as const
type Field = (typeof FIELDS)[number]
type Fields = { readonly [F in Field]?: string | undefined }

/** When an override starts to count, if it says so. **Units** milliseconds since the epoch. */
export const validFromMs = ({ validFrom }: PriceOverride): number =>
  validFrom === undefined ? Number.NEGATIVE_INFINITY : (parseRfc3339(validFrom) ?? Number.NEGATIVE_INFINITY)

/** Tells apart what overrides are for: no book has two of one identity. */
export const identityOf = (override: PriceOverride): string => {
  const match: Fields = override.match
  return JSON.stringify([override.resource, ...FIELDS.map((field) => match[field] ?? null), validFromMs(override)])
}

/**
 * Picks the overrides that hold for a subject at an instant, the one that counts first in front.
 *
 * The one that names more fields first; of two that name as many, the one that names the field that tells more
 * ({@link FIELDS} in their order); of two that name the same, the one that is valid from a later instant; at last the
 * later in the list.
 */
export const candidates = <R extends Resource>(
  overrides: ReadonlyArray<PriceOverride>,
  resource: R,
  { cluster, rateClass, storageClass }: Subject,
  atMs: number,
  egressClass?: EgressClass
): ReadonlyArray<OverrideOf<R>> => {
  const { capacity, gpuModel, instanceType, provider, region } = rateClass
  const own: Fields = { cluster, instanceType, gpuModel, storageClass, egressClass, capacity, region, provider }
  const isFor = (override: PriceOverride): override is OverrideOf<R> => override.resource === resource
  return overrides
    .filter(isFor)
    .filter((override) => matches(override.match, own) && validFromMs(override) <= atMs)
    .toReversed()
    .toSorted((a, b) => rankOf(b.match) - rankOf(a.match) || compareInstants(validFromMs(b), validFromMs(a)))
}

const matches = (match: Fields, own: Fields): boolean =>
  FIELDS.every((field) => match[field] === undefined || match[field] === own[field])

/** The number of fields, then which: a bit for each, the highest for the field that tells most. */
const rankOf = (match: Fields): number =>
  FIELDS.reduce(
    (rank, field, index) =>
      match[field] === undefined ? rank : rank + 2 ** FIELDS.length + 2 ** (FIELDS.length - index - 1),
    0
  )

const compareInstants = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1)
