/** Examples of the price book, with an override of each kind. */
import { initial, PriceBook } from "@quarterdeck/cost/PriceBook"
import { example, type Example } from "./Example.ts"

const overrides: PriceBook["overrides"] = [
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

const { default: DefaultPrices, overrides: Overrides } = PriceBook.fields
const defaultPrices = initial.default

/** Each kind of override is a component of its own. */
const ofEachKind: ReadonlyArray<Example> = Overrides.value.members.flatMap((schema) =>
  overrides.filter(({ resource }) => resource === schema.fields.resource.literal).map((value) => ({ schema, value }))
)

export const priceExamples = [
  example(PriceBook, { version: 4, currency: "USD", rate: 1, default: defaultPrices, overrides }),
  example(DefaultPrices, defaultPrices),
  example(DefaultPrices.fields.aws, defaultPrices.aws),
  ...ofEachKind
]
