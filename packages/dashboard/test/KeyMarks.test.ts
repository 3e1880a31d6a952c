import { assert, describe, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import type { ApiKey } from "../src/api/Shapes.ts"
import * as KeyMarks from "../src/keys/KeyMarks.ts"

const NOW = Date.UTC(2026, 10, 22, 12)
const DAY = 86_400_000
const daysFromNow = (days: number) => DateTime.makeUnsafe(NOW + days * DAY)

const keyOf = (id: string, fields: Partial<ApiKey> = {}): ApiKey => ({
  id,
  name: id,
  rule: { role: "Viewer" },
  status: "active",
  source: "created",
  createdAt: daysFromNow(-1),
  expiresAt: daysFromNow(90),
  ...fields
})

const withoutEnd = (key: ApiKey): ApiKey => {
  const { expiresAt, ...others } = key
  assert.isDefined(expiresAt)
  return others
}

describe("the marks of a key", () => {
  it.each<[string, ApiKey, ReadonlyArray<KeyMarks.Mark>]>([
    ["a new key", keyOf("a"), []],
    ["a key used 29 days ago", keyOf("a", { createdAt: daysFromNow(-99), lastUsedAt: daysFromNow(-29) }), []],
    ["a key used 30 days ago", keyOf("a", { createdAt: daysFromNow(-99), lastUsedAt: daysFromNow(-30) }), ["unused"]],
    ["a key of 30 days that was never used", keyOf("a", { createdAt: daysFromNow(-30) }), ["unused"]],
    [
      "a configured key, whose use is not recorded",
      keyOf("a", { source: "configured", createdAt: daysFromNow(-99) }),
      []
    ],
    ["a key without an end", withoutEnd(keyOf("a")), ["neverExpires"]],
    ["a key that ends in 7 days", keyOf("a", { status: "expiring", expiresAt: daysFromNow(7) }), ["ending"]],
    ["a key whose creator is gone", keyOf("a", { isMakerGone: true }), ["makerGone"]],
    ["a revoked key", withoutEnd(keyOf("a", { status: "revoked", isMakerGone: true })), []]
  ])("%s", (_, key, marks) => {
    assert.deepStrictEqual(KeyMarks.marksOf(key, NOW), marks)
  })

  it("narrow the list to keys that have each chosen one, and count all", () => {
    const keys = [keyOf("a"), withoutEnd(keyOf("b")), withoutEnd(keyOf("c", { createdAt: daysFromNow(-60) }))]
    const ids = (marks: ReadonlyArray<KeyMarks.Mark>) => KeyMarks.marked(keys, marks, NOW).map(({ id }) => id)
    assert.deepStrictEqual(ids([]), ["a", "b", "c"])
    assert.deepStrictEqual(ids(["neverExpires"]), ["b", "c"])
    assert.deepStrictEqual(ids(["neverExpires", "unused"]), ["c"])
    assert.deepStrictEqual(KeyMarks.countsOf(keys, NOW), { unused: 1, neverExpires: 2, ending: 0, makerGone: 0 })
  })
})

describe("the order of keys", () => {
  const Days = Schema.Array(Schema.UndefinedOr(Schema.Int.check(Schema.isBetween({ minimum: -400, maximum: 400 }))))
  it.prop("keeps every key, ends without an end last, and turns around", [Days], ([days]) => {
    const keys = days.map((day, index) => {
      const key = keyOf(String(index))
      return day === undefined ? withoutEnd(key) : { ...key, expiresAt: daysFromNow(day) }
    })
    const ends = (order: KeyMarks.Order) =>
      KeyMarks.sorted(keys, { sort: "expires", order }).map(({ expiresAt }) =>
        expiresAt === undefined ? Number.POSITIVE_INFINITY : DateTime.toEpochMillis(expiresAt)
      )
    const ascending = ends("asc")
    assert.deepStrictEqual(
      ascending,
      ascending.toSorted((a, b) => (a === b ? 0 : a - b))
    )
    assert.deepStrictEqual(ends("desc"), ascending.toReversed())
  })

  it("starts ascending, and turns around with the second click", () => {
    const first = KeyMarks.clicked({ sort: undefined, order: "asc" }, "lastUsed")
    assert.deepStrictEqual(first, { sort: "lastUsed", order: "asc" })
    assert.deepStrictEqual(KeyMarks.clicked(first, "lastUsed"), { sort: "lastUsed", order: "desc" })
    const keys = [keyOf("b", { lastUsedAt: daysFromNow(-2) }), keyOf("a")]
    assert.deepStrictEqual(
      KeyMarks.sorted(keys, first).map(({ id }) => id),
      ["a", "b"]
    )
  })
})
