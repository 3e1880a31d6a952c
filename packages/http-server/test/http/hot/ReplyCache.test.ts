import { assert, describe, it } from "@effect/vitest"
import { RecentRequests, ReplyCache } from "../../../src/http/hot/ReplyCache.ts"

const KIB = 1_024
/** What a reply takes with what stands beside its body. */
const REPLY_KIB = 10
const replyAt = (madeAt: number, kib = REPLY_KIB - 2) => ({ madeAt, bytes: kib * KIB })

describe("replies that are kept", () => {
  it("never take more than the bound: the oldest make room", () => {
    const replies = new ReplyCache(10 * REPLY_KIB * KIB)
    for (let index = 0; index < 100; index++) {
      replies.set(`key ${index}`, replyAt(index))
      assert.isAtMost(replies.bytes, 10 * REPLY_KIB * KIB)
    }
    const kept = Array.from({ length: 100 }, (_, index) => index).filter((index) => replies.find(`key ${index}`))
    assert.deepStrictEqual(kept, [90, 91, 92, 93, 94, 95, 96, 97, 98, 99])
  })

  it("a newer one of the same key takes the place of the older", () => {
    const replies = new ReplyCache(1_000 * KIB)
    replies.set("key", replyAt(1))
    const newer = replyAt(2, 1)
    replies.set("key", newer)
    assert.strictEqual(replies.find("key"), newer)
    assert.strictEqual(replies.bytes, 3 * KIB)
  })

  it("one that would take the room of all others is not kept, nor is the one that it follows", () => {
    const replies = new ReplyCache(100 * KIB)
    replies.set("key", replyAt(1))
    replies.set("key", replyAt(2, 50))
    assert.isUndefined(replies.find("key"))
    assert.strictEqual(replies.bytes, 0)
  })

  it("those of before a moment are dropped, and with them what they take", () => {
    const replies = new ReplyCache(1_000 * KIB)
    for (const madeAt of [1, 2, 3]) replies.set(`${madeAt}`, replyAt(madeAt))
    replies.dropBefore(3)
    assert.deepStrictEqual(
      ["1", "2", "3"].map((key) => replies.find(key)?.madeAt),
      [undefined, undefined, 3]
    )
    assert.strictEqual(replies.bytes, REPLY_KIB * KIB)
    replies.clear()
    assert.strictEqual(replies.bytes, 0)
  })
})

describe("recent requests", () => {
  it("are known when they come again, until they have aged twice", () => {
    const recent = new RecentRequests(10)
    assert.deepStrictEqual([recent.add("a"), recent.add("b"), recent.add("a")], [false, false, true])
    recent.age()
    assert.isTrue(recent.add("a"))
    recent.age()
    assert.deepStrictEqual([recent.add("a"), recent.add("b")], [true, false])
  })

  it("are bounded: the oldest are forgotten", () => {
    const recent = new RecentRequests(10)
    for (let index = 0; index < 25; index++) recent.add(`${index}`)
    assert.deepStrictEqual(
      ["24", "10", "9"].map((key) => recent.add(key)),
      [true, true, false]
    )
  })
})
