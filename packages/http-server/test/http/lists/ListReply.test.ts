import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as ListReply from "../../../src/http/lists/ListReply.ts"
import { RowTexts } from "../../../src/http/lists/RowTexts.ts"

const Page = Schema.fromJsonString(
  Schema.Struct({
    rows: Schema.Array(Schema.Struct({ name: Schema.String })),
    clusters: Schema.Array(Schema.Unknown),
    partial: Schema.Boolean,
    nextCursor: Schema.optionalKey(Schema.String)
  })
)
const decode = Schema.decodeUnknownSync(Page, { onExcessProperty: "error" })

const replyOf = (rows: ReadonlyArray<{ readonly name: string }>, nextCursor?: string) => {
  const { body } = ListReply.made(
    "rows",
    {
      rows,
      clusters: [],
      partial: false,
      ...(nextCursor === undefined ? {} : { nextCursor }),
      cursorAfter: (count: number) => `after-${count}`
    },
    new RowTexts(1)
  )
  if (body._tag !== "Uint8Array") throw new Error("the reply has no bytes")
  return { bytes: body.body.length, page: decode(Buffer.from(body.body).toString()) }
}

const KIB = 2 ** 10
const ofSize = (size: number, filler = "x") => ({ name: filler.repeat(size) })

describe("a page", () => {
  it.each([
    ["of ASCII", ofSize(600 * KIB)],
    ["of characters of three bytes", ofSize(200 * KIB, "漢")],
    ["of escaped characters", ofSize(100 * KIB, "\u0001")]
  ])("%s ends at 4 MiB with the cursor behind its last row", (_name, row) => {
    const { bytes, page } = replyOf(Array.from({ length: 20 }, () => row))
    assert.isAtMost(bytes, ListReply.PAGE_BYTES)
    assert.strictEqual(page.rows.length, 6)
    assert.strictEqual(page.nextCursor, "after-6")
  })

  it("has one row at least, however large", () => {
    const { page } = replyOf([ofSize(5_000 * KIB), ofSize(1)])
    assert.strictEqual(page.rows.length, 1)
    assert.strictEqual(page.nextCursor, "after-1")
  })

  it("of one large row that is the last has no cursor", () => {
    const { page } = replyOf([ofSize(5_000 * KIB)])
    assert.strictEqual(page.rows.length, 1)
    assert.notProperty(page, "nextCursor")
  })

  it("of fewer bytes keeps its rows and its own cursor", () => {
    assert.deepStrictEqual(replyOf([ofSize(1), ofSize(2)], "own").page.nextCursor, "own")
    assert.notProperty(replyOf([ofSize(1)]).page, "nextCursor")
  })
})
