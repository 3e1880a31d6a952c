/**
 * The price book: default prices per provider, and custom overrides.
 */
import { Result, Schema } from "effect"
import { DefaultPrices, defaultPrices, pricesOf } from "./DefaultPrices.ts"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import * as NodePriceSplit from "./NodePriceSplit.ts"
import { InvalidPriceBook } from "./PriceError.ts"
import * as PriceOverride from "./PriceOverride.ts"
import * as Rates from "./Rates.ts"

/** Maximum number of overrides in one book. */
export const MAX_OVERRIDES = 1_000

/** A currency code. **Source** ISO 4217. */
const Currency = Schema.String.check(
  Schema.isPattern(/^[A-Z]{3}$/u, { expected: "a currency code of three capital letters, such as EUR" })
)

const ExchangeRate = Schema.Finite.check(
  Schema.isBetween({ minimum: 0.000_001, maximum: 1_000_000 }, { expected: "a rate from 0.000001 to 1000000" })
)

const Overrides = Schema.Array(PriceOverride.PriceOverride).check(
  Schema.isMaxLength(MAX_OVERRIDES, { expected: `at most ${MAX_OVERRIDES} overrides` }),
  Schema.makeFilter((overrides) => {
    const identities = overrides.map(PriceOverride.identityOf)
    const repeated = identities.findIndex((identity, index) => identities.indexOf(identity) < index)
    return repeated < 0 || { path: [repeated], issue: "repeats the match and validFrom of an earlier override" }
  })
)

/**
 * A price book.
 *
 * **Shape** `version` increases with every change; a change must carry the version that it is based on. Every price is
 * multiplied by `rate` to convert it to `currency`. The default prices are in US dollars, so `rate` is the exchange rate of the
 * dollar. Decode with {@link decode} or with `onExcessProperty: "error"`, so that a misspelled match field is not ignored.
 *
 * **Limits** {@link MAX_OVERRIDES}; prices are rounded to twelve decimals.
 */
export const PriceBook = Schema.Struct({
  version: Schema.Natural,
  currency: Currency,
  rate: ExchangeRate,
  default: DefaultPrices,
  overrides: Overrides
}).annotate({ identifier: "PriceBook" })
export type PriceBook = typeof PriceBook.Type

/** The book before the first change: default prices in US dollars. */
export const initial: PriceBook = { version: 1, currency: "USD", rate: 1, default: defaultPrices, overrides: [] }

const decodeStrictly = Schema.decodeUnknownResult(PriceBook, { onExcessProperty: "error" })

/** Decodes a book. **Errors** `InvalidPriceBook` with the first invalid field. */
export const decode = (input: unknown): Result.Result<PriceBook, InvalidPriceBook> =>
  Result.mapError(decodeStrictly(input), ({ issue }) => new InvalidPriceBook(SchemaFault.fromIssue(issue)))

/** The subject of a price lookup. */
export type Subject = PriceOverride.Subject

/**
 * Returns the prices of a subject at an instant.
 *
 * Each price comes from the most specific override that states it, or else from the provider's defaults (its spot price for
 * spot nodes). One discount may apply: the first one found from the most specific override down to the one that states the
 * price. A general discount therefore does not lower a more specific price, and discounts never add up. For the order of
 * overrides see `PriceOverride.candidates`.
 *
 * **Units** see {@link Rates.Rates}.
 *
 * **Example**
 *
 * ```ts
 * effective(initial, { cluster, rateClass }, nowMs).cpuPicosPerCoreHour // 31_611_000_000 for a node at Amazon
 * ```
 */
export const effective = (book: PriceBook, subject: Subject, atMs: number): Rates.Rates => {
  const prices = pricesOf(book.default, subject.rateClass.provider)
  const find = <R extends PriceOverride.Resource>(resource: R, egressClass?: PriceOverride.EgressClass) =>
    PriceOverride.candidates(book.overrides, resource, subject, atMs, egressClass)
  const isSpot = subject.rateClass.capacity === "spot"
  const base: NodePriceSplit.UnitPrices = {
    cpuPerCoreHour: isSpot ? prices.spotCpuPerCoreHour : prices.cpuPerCoreHour,
    memoryPerGiBHour: isSpot ? prices.spotMemoryPerGiBHour : prices.memoryPerGiBHour,
    gpuPerHour: isSpot ? prices.spotGpuPerHour : prices.gpuPerHour
  }
  const nodes = find("node").flatMap((override): ReadonlyArray<NodeTerms> => {
    const { discountPercent, nodePerHour } = override
    if (nodePerHour === undefined) return [override]
    if (subject.machine === undefined) return []
    const parts = NodePriceSplit.split(nodePerHour, subject.machine, base)
    return [{ ...(parts ?? { nodePerHour }), discountPercent }]
  })
  const egress = (egressClass: PriceOverride.EgressClass, otherwise: number) =>
    settle(find("egress", egressClass), ({ egressPerGiB }) => egressPerGiB, otherwise)
  const price: Record<keyof Rates.Rates, number> = {
    cpuPicosPerCoreHour: settle(nodes, ({ cpuPerCoreHour }) => cpuPerCoreHour, base.cpuPerCoreHour),
    memoryPicosPerGiBHour: settle(nodes, ({ memoryPerGiBHour }) => memoryPerGiBHour, base.memoryPerGiBHour),
    gpuPicosPerHour: settle(nodes, ({ gpuPerHour }) => gpuPerHour, base.gpuPerHour),
    nodePicosPerHour: settle(nodes, ({ nodePerHour }) => nodePerHour, 0),
    storagePicosPerGiBHour: settle(
      find("storage"),
      ({ storagePerGiBHour }) => storagePerGiBHour,
      prices.storagePerGiBHour
    ),
    zoneEgressPicosPerGiB: egress("zone", prices.zoneEgressPerGiB),
    regionEgressPicosPerGiB: egress("region", prices.regionEgressPerGiB),
    internetEgressPicosPerGiB: egress("internet", prices.internetEgressPerGiB),
    loadBalancerPicosPerHour: settle(
      find("loadBalancer"),
      ({ loadBalancerPerHour }) => loadBalancerPerHour,
      prices.loadBalancerPerHour
    ),
    clusterPicosPerHour: settle(find("cluster"), ({ clusterPerHour }) => clusterPerHour, prices.clusterPerHour)
  }
  return Rates.make((field) => Rates.picosOf(price[field] * book.rate))
}

interface NodeTerms extends Partial<NodePriceSplit.UnitPrices> {
  /** Price of a whole node. Set only if the node reports no capacity over which the price could be split. */
  readonly nodePerHour?: number | undefined
  readonly discountPercent?: number | undefined
}

const settle = <A extends { readonly discountPercent?: number | undefined }>(
  overrides: ReadonlyArray<A>,
  stated: (override: A) => number | undefined,
  otherwise: number
): number => {
  let discountPercent: number | undefined
  for (const override of overrides) {
    discountPercent ??= override.discountPercent
    const price = stated(override)
    if (price !== undefined) return lowered(price, discountPercent)
  }
  return lowered(otherwise, discountPercent)
}

const lowered = (price: number, discountPercent = 0): number => (price * (100 - discountPercent)) / 100
