import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { McpSessions } from "../../../src/http/mcp/McpSessions.ts"

const LIMITS = { ofKey: 2, inAll: 3, idleMs: 100 }

const Step = Schema.Struct({
  does: Schema.Literals(["begin", "use", "end"]),
  id: Schema.Literals(["a", "b", "c", "d", "e"]),
  key: Schema.Literals(["one", "two", "three"]),
  afterMs: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 60 }))
})

describe("McpSessions", () => {
  it("is used by the key that began it alone", () => {
    const sessions = new McpSessions(LIMITS)
    assert.deepStrictEqual(sessions.begin("a", "one", 0), [])
    assert.isFalse(sessions.use("a", "two", 1))
    assert.isTrue(sessions.use("a", "one", 1))
    assert.isFalse(sessions.use("b", "one", 1))
  })

  it("ends a key's longest unused one for another of its own, then the longest unused of all", () => {
    const sessions = new McpSessions(LIMITS)
    sessions.begin("a", "one", 0)
    sessions.begin("b", "one", 1)
    sessions.use("a", "one", 2)
    assert.deepStrictEqual(sessions.begin("c", "one", 3), ["b"])
    sessions.begin("d", "two", 4)
    assert.deepStrictEqual(sessions.begin("e", "three", 5), ["a"])
    assert.isTrue(sessions.use("c", "one", 6))
  })

  it("ends those that were not used for long", () => {
    const sessions = new McpSessions(LIMITS)
    sessions.begin("a", "one", 0)
    assert.isTrue(sessions.use("a", "one", 99))
    assert.isFalse(sessions.use("a", "one", 199))
    assert.deepStrictEqual(sessions.begin("b", "two", 200), ["a"])
  })

  it.prop(
    "keeps no more than its limits, tells of each that it ends, and lets in no other key",
    [Schema.Array(Step)],
    ([steps]) => {
      const sessions = new McpSessions(LIMITS)
      const owners = new Map<string, string>()
      let now = 0
      for (const { afterMs, does, id, key } of steps) {
        now += afterMs
        if (does === "begin" && !owners.has(id)) {
          owners.set(id, key)
          for (const ended of sessions.begin(id, key, now)) owners.delete(ended)
        }
        if (does === "use" && sessions.use(id, key, now)) assert.strictEqual(owners.get(id), key)
        if (does === "end") {
          sessions.end(id)
          owners.delete(id)
        }
        assert.strictEqual(sessions.size, owners.size)
        assert.isAtMost(sessions.size, LIMITS.inAll)
        for (const owner of new Set(owners.values())) {
          assert.isAtMost([...owners.values()].filter((one) => one === owner).length, LIMITS.ofKey)
        }
      }
    }
  )
})
