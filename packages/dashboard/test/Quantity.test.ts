import { assert, describe, it } from "@effect/vitest"
import * as Quantity from "../src/format/Quantity.ts"

/** Digits and signs alone: what separates them is the machine's locale. */
const plain = (text: string): string => text.replaceAll(/[^0-9A-Za-z$%+−-]/g, "")

describe("quantities", () => {
  it("carry the unit that people read them in", () => {
    assert.strictEqual(Quantity.cpu(250), "250m")
    assert.strictEqual(Quantity.cpu(1_000), "1 core")
    assert.strictEqual(plain(Quantity.cpu(31_700)), "317cores")
    assert.strictEqual(Quantity.bytes(0), "0 B")
    assert.strictEqual(Quantity.bytes(826 * 1_048_576), "826 MiB")
    assert.strictEqual(plain(Quantity.bytes(1.5 * 1_024 ** 3)), "15GiB")
    assert.strictEqual(plain(Quantity.money(1_234.5, "USD")), "$123450")
    // A price of a core and hour is not nothing.
    assert.strictEqual(plain(Quantity.money(0.031611, "USD")), "$00316")
    assert.strictEqual(Quantity.counted(1, "workload"), "1 workload")
    assert.strictEqual(plain(Quantity.counted(10_000, "workload")), "10000workloads")
    assert.strictEqual(plain(Quantity.hours(2.25)), "23hr")
  })

  it("say what is not known, and never take it for nothing", () => {
    for (const print of [Quantity.cpu, Quantity.bytes, Quantity.count, Quantity.percent, Quantity.hours]) {
      assert.strictEqual(print(undefined), Quantity.UNKNOWN)
      assert.strictEqual(print(null), Quantity.UNKNOWN)
      assert.notStrictEqual(print(0), Quantity.UNKNOWN)
    }
    assert.strictEqual(Quantity.money(undefined, "EUR"), Quantity.UNKNOWN)
    assert.strictEqual(Quantity.change(5, 0), Quantity.UNKNOWN)
  })

  it("call only the whole of a time covered all of it", () => {
    assert.strictEqual(plain(Quantity.coverage(1)), "100%")
    assert.strictEqual(plain(Quantity.coverage(0.9999)), "999%")
    assert.strictEqual(plain(Quantity.coverage(0)), "0%")
  })

  it("are compared with the time before", () => {
    assert.strictEqual(plain(Quantity.change(112, 100)), "+12%")
    assert.match(Quantity.change(97, 100), /^[-−]3\s?%$/)
  })

  it("tell ages in whole units", () => {
    assert.match(Quantity.duration(400), /^0 /)
    assert.match(Quantity.duration(59_999), /^59 /)
    assert.match(Quantity.duration(3 * 3_600_000 + 5), /^3 h/)
  })
})
