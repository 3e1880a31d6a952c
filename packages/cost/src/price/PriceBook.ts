/**
 * The prices that costs are computed by: defaults for each provider, and overrides of one's own.
 */
import { Result, Schema } from "effect"
import { DefaultPrices, defaultPrices, pricesOf } from "./DefaultPrices.ts"
import * as SchemaFault from "@quarterdeck/targeting/SchemaFault"
import * as NodePriceSplit from "./NodePriceSplit.ts"
import { InvalidPriceBook } from "./PriceError.ts"
import * as PriceOverride from "./PriceOverride.ts"
import * as Rates from "./Rates.ts"

/** How many overrides one book has at most. */
export const MAX_OVERRIDES = 1_000

/** The code of a currency. **Source** ISO 4217. */
const Currency = Schema.String.check(
  Schema.isPattern(/^[A-Z]{3}$/u, { expected: "a currency code of three capitals, such as EUR" })
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
 * A price book, as it is read and written.
 *
 * **Shape** `version` is the one that was read, and goes up with every change. Every price in the book is multiplied by
 * `rate` to come to `currency`: with the defaults, which are in US dollars, the worth of a dollar in that currency.
 * Decode with {@link decode}, or with `onExcessProperty: "error"`: a misspelt match must not mean "all".
 *
 * **Limits** {@link MAX_OVERRIDES}; prices count to twelve decimals.
 */
export const PriceBook = Schema.Struct({
  version: Schema.Natural,
  currency: Currency,
  rate: ExchangeRate,
  default: DefaultPrices,
  overrides: Overrides
}).annotate({ identifier: "PriceBook" })
export type PriceBook = typeof PriceBook.Type

/** The book before anybody changed it: default prices in US dollars. */
export const initial: PriceBook = { version: 1, currency: "USD", rate: 1, default: defaultPrices, overrides: [] }

const decodeStrictly = Schema.decodeUnknownResult(PriceBook, { onExcessProperty: "error" })

/**
 * Reads a book. **Errors** `InvalidPriceBook` with the first field at fault.
 */
export const decode = (input: unknown): Result.Result<PriceBook, InvalidPriceBook> =>
  Result.mapError(decodeStrictly(input), ({ issue }) => new InvalidPriceBook(SchemaFault.fromIssue(issue)))

/** What a price is asked for. */
export type Subject = PriceOverride.Subject

/**
 * Gives what a subject costs at an instant.
 *
 * Each price is that of the most specific override that states it, or else the provider's default (its spot
 * price for spot machines). It is lowered by the first discount met on the way there, from the most specific override
 * downwards and no further than the one that states the price: so a general discount leaves a price agreed for something
 * narrower alone, and discounts never add up. More specific is what names more fields, then what names the field that
 * tells more (cluster, instance type, GPU model, storage class, egress class, capacity, region, provider); of two for
 * the same, the one valid from the later instant.
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
  /** Of a machine that has nothing to split it over. */
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
