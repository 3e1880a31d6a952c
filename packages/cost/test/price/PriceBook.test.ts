import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as PriceBook from "../../src/price/PriceBook.ts"
import { picosOf, priceOf } from "../../src/price/Rates.ts"
import { bare, bookOf, cpu, machine, onDemand, prod, spot, stage } from "./samples.ts"

const nowMs = Date.parse("2026-03-08T10:00:00Z")
const ratesIn = (book: PriceBook.PriceBook, subject: Partial<PriceBook.Subject> = {}, atMs = nowMs) =>
  PriceBook.effective(book, { cluster: prod, rateClass: onDemand, machine, ...subject }, atMs)
const cpuIn = (book: PriceBook.PriceBook, subject: Partial<PriceBook.Subject> = {}, atMs = nowMs) =>
  priceOf(ratesIn(book, subject, atMs).cpuPicosPerCoreHour)

const faultOf = (input: unknown) => {
  const read = PriceBook.decode(input)
  return Result.isFailure(read) ? read.failure.field : undefined
}
const withOverride = (override: unknown) => ({ ...PriceBook.initial, overrides: [override] })

describe("default prices", () => {
  it("are those of OpenCost for each provider", () => {
    assert.deepStrictEqual(ratesIn(PriceBook.initial), {
      cpuPicosPerCoreHour: 31_611_000_000,
      memoryPicosPerGiBHour: 4_237_000_000,
      gpuPicosPerHour: 950_000_000_000,
      nodePicosPerHour: 0,
      storagePicosPerGiBHour: 54_794_520,
      zoneEgressPicosPerGiB: 10_000_000_000,
      regionEgressPicosPerGiB: 10_000_000_000,
      internetEgressPicosPerGiB: 143_000_000_000,
      loadBalancerPicosPerHour: 25_000_000_000,
      clusterPicosPerHour: 100_000_000_000
    })
    const azure = ratesIn(PriceBook.initial, { rateClass: { ...onDemand, provider: "azure" } })
    assert.strictEqual(azure.cpuPicosPerCoreHour, 39_000_000_000)
    assert.strictEqual(azure.internetEgressPicosPerGiB, 72_500_000_000)
    const other = ratesIn(PriceBook.initial, { rateClass: bare })
    assert.strictEqual(other.clusterPicosPerHour, 0)
    assert.strictEqual(other.cpuPicosPerCoreHour, 31_611_000_000)
  })

  it("are lower for spot machines", () => {
    const rates = ratesIn(PriceBook.initial, { rateClass: spot })
    assert.strictEqual(rates.cpuPicosPerCoreHour, 6_655_000_000)
    assert.strictEqual(rates.memoryPicosPerGiBHour, 892_000_000)
    assert.strictEqual(rates.gpuPicosPerHour, 308_000_000_000)
  })

  it("are turned into the book's currency, as overrides are", () => {
    const book = { ...bookOf(cpu(2, { cluster: stage })), currency: "EUR", rate: 0.5 }
    assert.strictEqual(cpuIn(book), 0.0158055)
    assert.strictEqual(cpuIn(book, { cluster: stage }), 1)
  })
})

describe("an override", () => {
  it("of a whole node is split by the ratios of the defaults", () => {
    const { cpuPicosPerCoreHour, memoryPicosPerGiBHour } = ratesIn(
      bookOf({ resource: "node", match: { instanceType: "m7i.large" }, nodePerHour: 0.12 })
    )
    assert.approximately(2 * priceOf(cpuPicosPerCoreHour) + 8 * priceOf(memoryPicosPerGiBHour), 0.12, 1e-11)
    assert.approximately(cpuPicosPerCoreHour / memoryPicosPerGiBHour, 0.031611 / 0.004237, 1e-8)
  })

  it("of a whole node does not count for a machine of unknown size", () => {
    const book = bookOf({ resource: "node", match: {}, nodePerHour: 0.12, discountPercent: 50 })
    assert.strictEqual(cpuIn(book, { machine: undefined }), 0.031611)
  })

  it("holds for what it names alone", () => {
    const book = bookOf(cpu(1, { instanceType: "m7i.large", capacity: "spot" }))
    assert.strictEqual(cpuIn(book, { rateClass: spot }), 1)
    assert.strictEqual(cpuIn(book), 0.031611)
    assert.strictEqual(cpuIn(book, { rateClass: { ...spot, instanceType: "m7i.xlarge" } }), 0.006655)
  })

  it("leaves the prices that it does not state to the next", () => {
    const rates = ratesIn(
      bookOf(cpu(1, { region: "eu-central-1" }), { resource: "node", match: {}, memoryPerGiBHour: 2 })
    )
    assert.strictEqual(rates.cpuPicosPerCoreHour, picosOf(1))
    assert.strictEqual(rates.memoryPicosPerGiBHour, picosOf(2))
    assert.strictEqual(rates.gpuPicosPerHour, picosOf(0.95))
  })

  it("counts before one that names fewer fields, in any order", () => {
    const overrides = [cpu(1), cpu(2, { region: "eu-central-1" }), cpu(3, { region: "eu-central-1", provider: "aws" })]
    for (const list of [overrides, overrides.toReversed()]) assert.strictEqual(cpuIn(bookOf(...list)), 3)
  })

  it("counts before one that names as many fields but tells less", () => {
    const overrides = [
      cpu(1, { cluster: prod }),
      cpu(2, { instanceType: "m7i.large" }),
      cpu(3, { region: "eu-central-1" })
    ]
    for (const list of [overrides, overrides.toReversed()]) assert.strictEqual(cpuIn(bookOf(...list)), 1)
    assert.strictEqual(cpuIn(bookOf(...overrides), { cluster: stage }), 2)
  })

  it("counts from its instant on, the later before the earlier", () => {
    const book = bookOf(
      cpu(1),
      cpu(2, {}, { validFrom: "2026-03-08T10:00:00Z" }),
      cpu(3, {}, { validFrom: "2026-03-08T13:00:00+02:00" })
    )
    assert.deepStrictEqual(
      [-1, 0, 3_599_999, 3_600_000].map((ms) => cpuIn(book, {}, nowMs + ms)),
      [1, 2, 2, 3]
    )
  })

  it("lowers by its discount the price that it states, or the one below it", () => {
    const discount = (discountPercent: number, match: object = {}) =>
      ({ resource: "node", match, discountPercent }) as const
    assert.approximately(cpuIn(bookOf(discount(10))), 0.0284499, 1e-12)
    assert.strictEqual(cpuIn(bookOf(cpu(2, {}, { discountPercent: 25 }))), 1.5)
    assert.strictEqual(cpuIn(bookOf(discount(100, { cluster: prod }), cpu(2))), 0)
  })

  it("lowers no price that was agreed for something narrower, and adds to no other discount", () => {
    const general = { resource: "node", match: {}, discountPercent: 50 } as const
    const narrower = { resource: "node", match: { region: "eu-central-1" }, discountPercent: 10 } as const
    assert.strictEqual(cpuIn(bookOf(general, cpu(2, { instanceType: "m7i.large" }))), 2)
    assert.approximately(cpuIn(bookOf(general, narrower)), 0.0284499, 1e-12)
  })

  it("prices volumes by class, traffic by where it goes, load balancers and control planes", () => {
    const book = bookOf(
      { resource: "storage", match: { storageClass: "gp3" }, storagePerGiBHour: 0.5 },
      { resource: "egress", match: { egressClass: "zone" }, egressPerGiB: 0 },
      { resource: "egress", match: {}, discountPercent: 50 },
      { resource: "loadBalancer", match: { cluster: prod }, loadBalancerPerHour: 1 },
      { resource: "cluster", match: { provider: "aws" }, clusterPerHour: 2 }
    )
    const rates = ratesIn(book, { storageClass: "gp3" })
    assert.strictEqual(rates.storagePicosPerGiBHour, picosOf(0.5))
    assert.strictEqual(ratesIn(book, { storageClass: "gp2" }).storagePicosPerGiBHour, picosOf(0.00005479452))
    assert.deepStrictEqual(
      [rates.zoneEgressPicosPerGiB, rates.regionEgressPicosPerGiB, rates.internetEgressPicosPerGiB].map(priceOf),
      [0, 0.005, 0.0715]
    )
    assert.strictEqual(priceOf(rates.loadBalancerPicosPerHour), 1)
    assert.strictEqual(priceOf(rates.clusterPicosPerHour), 2)
    assert.strictEqual(priceOf(ratesIn(book, { cluster: stage }).loadBalancerPicosPerHour), 0.025)
  })

  const Drawn = Schema.Struct({
    cluster: Schema.UndefinedOr(Schema.Literals([prod, stage])),
    region: Schema.UndefinedOr(Schema.Literals(["eu-central-1"])),
    instanceType: Schema.UndefinedOr(Schema.Literals(["m7i.large", "m7i.xlarge"])),
    capacity: Schema.UndefinedOr(Schema.Literals(["spot", "onDemand"])),
    validFrom: Schema.UndefinedOr(
      Schema.Literals(["2026-03-01T00:00:00Z", "2026-03-07T00:00:00Z", "2026-04-01T00:00:00Z"])
    ),
    price: Schema.UndefinedOr(Schema.Literals([1, 2, 3])),
    discountPercent: Schema.UndefinedOr(Schema.Literals([25, 50]))
  })
  const overrideOf = ({ price, validFrom, discountPercent, ...match }: typeof Drawn.Type): unknown =>
    JSON.parse(JSON.stringify({ resource: "node", match, cpuPerCoreHour: price, validFrom, discountPercent }))
  const Book = Schema.Array(Drawn).check(Schema.isMaxLength(8))

  it.prop("decides alike whatever the order of the list", [Book], ([drawn]) => {
    const read = PriceBook.decode({ ...PriceBook.initial, overrides: drawn.map(overrideOf) })
    if (Result.isFailure(read)) return
    const { overrides } = read.success
    for (const rateClass of [onDemand, spot, bare]) {
      assert.deepStrictEqual(
        ratesIn(bookOf(...overrides.toReversed()), { rateClass }),
        ratesIn(read.success, { rateClass })
      )
    }
  })

  it.prop("that does not match, or not yet, changes nothing", [Book], ([drawn]) => {
    const read = PriceBook.decode({ ...PriceBook.initial, overrides: drawn.map(overrideOf) })
    if (Result.isFailure(read)) return
    const later = cpu(9, {}, { validFrom: "2026-05-01T00:00:00Z" })
    const elsewhere = cpu(9, { cluster: stage, provider: "aws" }, { discountPercent: 10 })
    assert.deepStrictEqual(ratesIn(bookOf(later, ...read.success.overrides, elsewhere)), ratesIn(read.success))
  })
})

describe("a price book", () => {
  it("is read as it was written", () => {
    const book = bookOf(cpu(1, { cluster: prod, capacity: "spot" }, { validFrom: "2026-03-08T10:00:00Z" }))
    assert.deepStrictEqual(Result.getOrThrow(PriceBook.decode(JSON.parse(JSON.stringify(book)))), book)
  })

  it.each([
    [{ ...PriceBook.initial, curency: "EUR" }, "curency"],
    [{ ...PriceBook.initial, currency: "euro" }, "currency"],
    [{ ...PriceBook.initial, rate: 0 }, "rate"],
    [{ ...PriceBook.initial, rate: Number.NaN }, "rate"],
    [{ ...PriceBook.initial, version: -1 }, "version"],
    [{ ...PriceBook.initial, default: { ...PriceBook.initial.default, aws: {} } }, "default.aws.cpuPerCoreHour"],
    [
      {
        ...PriceBook.initial,
        default: { ...PriceBook.initial.default, gcp: { ...PriceBook.initial.default.gcp, cpuPerHour: 1 } }
      },
      "default.gcp.cpuPerHour"
    ],
    [withOverride({ resource: "node", match: {}, nodePerHour: -1 }), "overrides[0].nodePerHour"],
    [withOverride({ resource: "node", match: {}, nodePerHour: 1, cpuPerCoreHour: 1 }), "overrides[0].nodePerHour"],
    [withOverride({ resource: "node", match: {} }), "overrides[0]"],
    [withOverride({ resource: "node", nodePerHour: 1 }), "overrides[0].match"],
    [withOverride({ resource: "node", match: { zone: "a" }, nodePerHour: 1 }), "overrides[0].match.zone"],
    [withOverride({ resource: "node", match: { region: "" }, nodePerHour: 1 }), "overrides[0].match.region"],
    [withOverride({ resource: "node", match: { cluster: "a|b" }, nodePerHour: 1 }), "overrides[0].match.cluster"],
    [
      withOverride({ resource: "node", match: { capacity: "reserved" }, nodePerHour: 1 }),
      "overrides[0].match.capacity"
    ],
    [withOverride({ resource: "node", match: {}, storagePerGiBHour: 1 }), "overrides[0].storagePerGiBHour"],
    [withOverride({ resource: "storage", match: {}, discountPercent: 101 }), "overrides[0].discountPercent"],
    [withOverride(cpu(1, {}, { validFrom: "2026-02-30T00:00:00Z" })), "overrides[0].validFrom"],
    [withOverride(cpu(1, {}, { validFrom: "1772884800000" })), "overrides[0].validFrom"],
    [bookOf(cpu(1), cpu(2, { cluster: prod }), cpu(3)), "overrides[2]"],
    [{ ...PriceBook.initial, overrides: Array.from({ length: 1_001 }, (_, index) => cpu(index)) }, "overrides"],
    [null, ""]
  ])("is refused for %#: %s", (input, field) => {
    assert.strictEqual(faultOf(input), field)
  })

  it("takes one match from several instants on", () => {
    const book = bookOf(
      cpu(1),
      cpu(2, {}, { validFrom: "2026-03-08T10:00:00Z" }),
      cpu(3, {}, { validFrom: "2026-03-09T10:00:00Z" })
    )
    assert.isUndefined(faultOf(book))
    const same = bookOf(
      cpu(2, {}, { validFrom: "2026-03-08T10:00:00Z" }),
      cpu(3, {}, { validFrom: "2026-03-08T11:00:00+01:00" })
    )
    assert.strictEqual(faultOf(same), "overrides[1]")
  })
})
