/** The price book, and an override of each kind. */
import { DefaultPrices, defaultPrices, ProviderPrices } from "@quarterdeck/cost/DefaultPrices"
import { PriceBook } from "@quarterdeck/cost/PriceBook"
import { PriceOverride } from "@quarterdeck/cost/price/PriceOverride"
import { example, type Example } from "./Example.ts"

const overrides: ReadonlyArray<PriceOverride> = [
  {
    resource: "node",
    match: { provider: "aws", instanceType: "m7i.xlarge", capacity: "onDemand" },
    nodePerHour: 0.2016,
    discountPercent: 12
  },
  { resource: "storage", match: { provider: "aws", storageClass: "gp3" }, storagePerGiBHour: 0.00011 },
  { resource: "egress", match: { provider: "aws", egressClass: "internet" }, egressPerGiB: 0.09 },
  { resource: "loadBalancer", match: { region: "eu-central-1" }, loadBalancerPerHour: 0.027 },
  { resource: "cluster", match: {}, clusterPerHour: 0.1, validFrom: "2026-01-01T00:00:00Z" }
]

/** Each kind of override is a component of its own. */
const ofEachKind: ReadonlyArray<Example> = PriceOverride.members.flatMap((schema) =>
  overrides.filter(({ resource }) => resource === schema.fields.resource.literal).map((value) => ({ schema, value }))
)

export const priceExamples = [
  example(PriceBook, { version: 4, currency: "USD", rate: 1, default: defaultPrices, overrides }),
  example(DefaultPrices, defaultPrices),
  example(ProviderPrices, defaultPrices.aws),
  ...ofEachKind
]
