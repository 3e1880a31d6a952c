import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { type Book, changesOf, fromBook, type OverrideDraft, rebase, toBody } from "../src/prices/PriceDraft.ts"

const rates = {
  cpuPerCoreHour: 0.031611,
  spotCpuPerCoreHour: 0.006655,
  memoryPerGiBHour: 0.004237,
  spotMemoryPerGiBHour: 0.000892,
  gpuPerHour: 0.95,
  spotGpuPerHour: 0.308,
  storagePerGiBHour: 0.00005479452,
  zoneEgressPerGiB: 0.01,
  regionEgressPerGiB: 0.01,
  internetEgressPerGiB: 0.12,
  loadBalancerPerHour: 0.025,
  clusterPerHour: 0.1
}

const bookOf = (fields: Partial<Book>): Book => ({
  version: 3,
  currency: "USD",
  rate: 1,
  default: { aws: rates, gcp: rates, azure: rates, other: rates },
  overrides: [],
  ...fields
})

const Price = Schema.Literals([0, 0.0000001, 0.031611, 12, 1_000_000])
const Prices = Schema.Struct({
  cpu: Price,
  rate: Schema.Literals([0.000001, 1, 7.45]),
  machine: Price,
  hasOverride: Schema.Boolean
})

const bookFrom = ({ cpu, hasOverride, machine, rate }: typeof Prices.Type): Book =>
  bookOf({
    rate,
    default: { aws: { ...rates, cpuPerCoreHour: cpu }, gcp: rates, azure: rates, other: rates },
    overrides: hasOverride
      ? [{ resource: "node", match: { cluster: "prod", capacity: "spot" }, ...{ nodePerHour: machine } }]
      : []
  })

const override = (fields: Partial<OverrideDraft>): OverrideDraft => ({
  id: 1,
  resource: "node",
  match: {},
  terms: {},
  ...fields
})

describe("the draft of a price book", () => {
  it.prop("sends the book that it was made of, to the last digit", [Prices], ([prices]) => {
    const book = bookFrom(prices)
    assert.deepStrictEqual<unknown>(Result.getOrThrow(toBody(fromBook(book), book.version)), book)
    assert.deepStrictEqual(changesOf(fromBook(book), fromBook(book)), [])
  })

  it.prop(
    "keeps on a newer book what was changed, and takes theirs for the rest",
    [Prices, Prices, Prices],
    (books) => {
      const [old, mine, theirs] = books.map((prices) => fromBook(bookFrom(prices)))
      if (old === undefined || mine === undefined || theirs === undefined) return assert.fail("three books")
      const merged = rebase(mine, old, theirs)
      assert.deepStrictEqual(rebase(old, old, theirs), theirs)
      assert.deepStrictEqual(rebase(mine, old, old), mine)
      assert.strictEqual(merged.rate, mine.rate === old.rate ? theirs.rate : mine.rate)
      const [mineCpu, oldCpu, theirCpu] = [mine, old, theirs].map(({ prices }) => prices.aws.cpuPerCoreHour)
      assert.strictEqual(merged.prices.aws.cpuPerCoreHour, mineCpu === oldCpu ? theirCpu : mineCpu)
    }
  )

  it("names each field that is not a price", () => {
    const draft = fromBook(bookOf({}))
    const faultsOf = (fields: Partial<typeof draft>) =>
      Result.match(toBody({ ...draft, ...fields }, 1), { onSuccess: () => ({}), onFailure: (faults) => faults })
    assert.hasAllKeys(faultsOf({ currency: "euro" }), ["currency"])
    for (const rate of ["", "0", "-1", "1e3", "one"]) assert.hasAllKeys(faultsOf({ rate }), ["rate"])
    const prices = { ...draft.prices, gcp: { ...draft.prices.gcp, gpuPerHour: "0,95" } }
    assert.hasAllKeys(faultsOf({ prices }), ["gcp.gpuPerHour"])
    assert.hasAllKeys(faultsOf({ overrides: [override({})] }), ["overrides.0"])
    assert.hasAllKeys(faultsOf({ overrides: [override({ terms: { discountPercent: "101" } })] }), [
      "overrides.0.discountPercent"
    ])
  })

  it("tells what it changes", () => {
    const draft = fromBook(bookOf({}))
    const overrides = [override({ match: { cluster: "prod", region: " " }, terms: { discountPercent: "20" } })]
    assert.deepStrictEqual(changesOf(draft, { ...draft, rate: "2", overrides }), [
      { what: "Rate", before: "1", after: "2" },
      { what: "Override", after: "Machines (cluster prod): discountPercent 20" }
    ])
  })
})
