/**
 * A custom price for some nodes, volumes, egress, load balancers or clusters.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"
import { Price } from "./DefaultPrices.ts"
import type { RateClass } from "../hour/Hour.ts"
import { Instant, parseRfc3339 } from "../hour/Instant.ts"
import type { Machine } from "./NodePriceSplit.ts"

/** Classes of egress by destination. */
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
          issue: "is the price of the whole node, so it excludes cpuPerCoreHour, memoryPerGiBHour and gpuPerHour"
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
 * **Shape** `match` lists equality conditions; an absent field matches everything. At least one price or a discount is
 * required. `nodePerHour` is the price of the whole node, which is split over its resources. The override applies from
 * `validFrom` on, by default from when it was saved.
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

/** The subject of a price lookup. **Shape** `storageClass` is that of a volume, and affects storage prices only. */
export interface Subject {
  readonly cluster: ClusterName
  readonly rateClass: RateClass
  /** Capacity of one node of the class. Without it, node prices cannot be split and are ignored. */
  readonly machine?: Machine | undefined
  readonly storageClass?: string | undefined
}

/** The fields of a match, most specific first. */
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

/**
 * Returns the instant from which an override applies; -Infinity without `validFrom`.
 *
 * **Units** milliseconds since the epoch.
 */
export const validFromMs = ({ validFrom }: PriceOverride): number =>
  validFrom === undefined ? Number.NEGATIVE_INFINITY : (parseRfc3339(validFrom) ?? Number.NEGATIVE_INFINITY)

/** Returns the identity of an override. A book must not contain two overrides with the same identity. */
export const identityOf = (override: PriceOverride): string => {
  const match: Fields = override.match
  return JSON.stringify([override.resource, ...FIELDS.map((field) => match[field] ?? null), validFromMs(override)])
}

/**
 * Returns the overrides that apply to a subject at an instant, in order of precedence.
 *
 * The override with more match fields comes first. Ties go to the more specific field in the order of {@link FIELDS}. Further
 * ties go to the later `validFrom`, then to the later position in the list.
 */
export const candidates = <R extends Resource>(
  overrides: ReadonlyArray<PriceOverride>,
  resource: R,
  { cluster, rateClass, storageClass }: Subject,
  atMs: number,
  egressClass?: EgressClass
): ReadonlyArray<OverrideOf<R>> => {
  const { capacity, gpuModel, instanceType, provider, region } = rateClass
  const subjectFields: Fields = {
    cluster,
    instanceType,
    gpuModel,
    storageClass,
    egressClass,
    capacity,
    region,
    provider
  }
  const isFor = (override: PriceOverride): override is OverrideOf<R> => override.resource === resource
  return overrides
    .filter(isFor)
    .filter((override) => matches(override.match, subjectFields) && validFromMs(override) <= atMs)
    .toReversed()
    .toSorted((a, b) => rankOf(b.match) - rankOf(a.match) || compareInstants(validFromMs(b), validFromMs(a)))
}

const matches = (match: Fields, subjectFields: Fields): boolean =>
  FIELDS.every((field) => match[field] === undefined || match[field] === subjectFields[field])

/** Returns the rank of a match: by number of fields, then by the fields themselves, the most specific in the highest bit. */
const rankOf = (match: Fields): number =>
  FIELDS.reduce(
    (rank, field, index) =>
      match[field] === undefined ? rank : rank + 2 ** FIELDS.length + 2 ** (FIELDS.length - index - 1),
    0
  )

const compareInstants = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1)
