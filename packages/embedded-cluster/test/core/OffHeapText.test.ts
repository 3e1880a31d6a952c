import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { OffHeapText } from "../../src/core/OffHeapText.ts"

/** Characters of one to four bytes that share some of their bytes. */
const Part = Schema.Literals(["a", "b", "é", "è", "日", "旧", "😀", "😁", "\u0000", "same text on both sides "])
const Parts = Schema.Array(Part)

describe("OffHeapText", () => {
  it.prop("returns each of many versions", [Schema.Array(Parts)], ([versions]) => {
    const kept: Array<OffHeapText> = []
    for (const parts of versions) kept.push(OffHeapText.of(parts.join(""), kept.at(-1)))
    assert.deepStrictEqual(
      kept.map(String),
      versions.map((parts) => parts.join(""))
    )
  })

  it.prop(
    "returns a text that differs from the earlier one in its middle",
    [Parts, Parts, Parts, Parts],
    ([head, before, after, tail]) => {
      const text = (middle: ReadonlyArray<string>) => [...head, ...middle, ...tail].join("")
      const earlier = OffHeapText.of(text(before))
      assert.strictEqual(String(OffHeapText.of(text(after), earlier)), text(after))
      assert.strictEqual(String(earlier), text(before))
    }
  )

  it("stores texts that are too long to share a chunk", () => {
    const long = "日本語".repeat(10_000)
    const kept = OffHeapText.of(long)
    assert.strictEqual(String(kept), long)
    assert.strictEqual(String(OffHeapText.of(`${long}!`, kept)), `${long}!`)
  })
})
