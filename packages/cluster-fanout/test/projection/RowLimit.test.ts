import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Interner from "../../src/projection/Interner.ts"
import { images } from "../../src/projection/PodProjection.ts"
import * as RowLimit from "../../src/projection/RowLimit.ts"

const labels = Schema.Record(Schema.String, Schema.String)
const bytesOf = (shown: Readonly<Record<string, string>>) =>
  Object.entries(shown).reduce((sum, label) => sum + Buffer.byteLength(label.join("")), 0)

const many = (count: number, value: string) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`l${String(index).padStart(4, "0")}`, value]))

describe("the labels that a reply shows", () => {
  it.prop("are within 64 and 8 KiB, of the row's own, and all where they fit", [labels, labels], ([one, other]) => {
    const big = Object.entries(other).map(([key, value]) => [key, value.repeat(200)] as const)
    const row = { name: "web", labels: { ...one, ...Object.fromEntries(big) } }
    const shown = RowLimit.limited(row)
    const isWhole = Object.keys(row.labels).length <= 64 && bytesOf(row.labels) <= 8_192
    assert.strictEqual(shown === row, isWhole)
    assert.strictEqual(shown.labelsTruncated, isWhole ? undefined : true)
    assert.isAtMost(Object.keys(shown.labels).length, 64)
    assert.isAtMost(bytesOf(shown.labels), 8_192)
    for (const [key, value] of Object.entries(shown.labels)) assert.strictEqual(row.labels[key], value)
  })

  it("are those of the application, then the first by key, whatever the order they came in", () => {
    const all = { ...many(200, "x"), "z-last": "x", "app.kubernetes.io/name": "web", app: "web" }
    const reversed = Object.fromEntries(Object.entries(all).toReversed())
    const shown = RowLimit.limited({ labels: all }).labels
    assert.deepStrictEqual(Object.entries(RowLimit.limited({ labels: reversed }).labels), Object.entries(shown))
    assert.deepStrictEqual(Object.keys(shown).slice(0, 3), ["app", "app.kubernetes.io/name", "l0000"])
    assert.strictEqual(Object.keys(shown).at(-1), "l0061")
  })

  it("leave out the one that is too long, not those behind it", () => {
    const shown = RowLimit.limited({ labels: { a: "x".repeat(9_000), b: "1", c: "é".repeat(4_095) } })
    assert.deepStrictEqual(Object.keys(shown.labels), ["b"])
    assert.isTrue(shown.labelsTruncated)
  })

  it("stay as they are in a row without labels", () => {
    const row = { name: "web" }
    assert.strictEqual(RowLimit.limited(row), row)
  })
})

describe("the images of a row", () => {
  it("are the first 32 distinct ones, each of 1 KiB at most", () => {
    const containers = Array.from({ length: 100 }, (_, index) => ({
      image: `acme/web:${index >> 1}${"x".repeat(2_000)}`
    }))
    const shown = images({ containers }, Interner.none)
    assert.strictEqual(shown.length, 32)
    for (const image of shown) assert.strictEqual(Buffer.byteLength(image), 1_024)
    assert.isTrue(shown[31]?.startsWith("acme/web:31"))
  })
})
