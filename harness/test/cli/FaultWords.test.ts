/** Faults as people type them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as FaultWords from "../../src/cli/FaultWords.ts"
import * as Fault from "../../src/faults/Fault.ts"

const Words = Schema.NonEmptyArray(Schema.Literals(["", "*", "pods", "pods/log", "deployments"]))
/** What may stand in a command line: texts that look like numbers among them. */
const Text = Schema.Union([Schema.String, Schema.Literals(["12", "true", "1e3", "null", "a=b,c"])])

const Latency = Schema.Struct({ ms: Schema.Natural, jitterMs: Schema.Natural })
const Matched = Schema.Struct({
  verbs: Schema.NonEmptyArray(Schema.Literals(["get", "list", "watch", "*"])),
  resources: Words,
  namespaces: Words,
  userAgent: Text,
  fraction: Schema.Literals([0, 0.25, 1]),
  next: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))
})

describe("a fault that is typed", () => {
  it("has a name for each fault that there is", () => {
    assert.lengthOf(FaultWords.NAMES, Fault.TAGS.length)
    assert.includeMembers(
      [...FaultWords.NAMES],
      ["cut", "black-hole", "too-many-requests", "malformed-json", "lost-data"]
    )
  })

  it.effect.prop("has the numbers that were typed", [Latency], ([latency]) =>
    Effect.gen(function* () {
      const fields = Object.entries(latency).map(([field, value]) => `${field}=${value}`)
      assert.deepStrictEqual(yield* FaultWords.parse("latency", fields), Fault.latency(latency))
    })
  )

  it.effect.prop("meets the requests that were typed", [Matched, Text], ([match, user]) =>
    Effect.gen(function* () {
      const fields = Object.entries(match).map(([field, value]) => `match.${field}=${String(value)}`)
      assert.deepStrictEqual(
        yield* FaultWords.parse("forbidden", [`user=${user}`, ...fields]),
        Fault.forbidden({ user, match })
      )
    })
  )

  it.effect.prop("answers with the headers and the text that were typed", [Text, Text], ([type, body]) =>
    Effect.gen(function* () {
      const headers = { "content-type": type.replace(/[^\x20-\x7e]/g, ""), "retry-after": "7" }
      const fields = Object.entries(headers).map(([name, value]) => `headers.${name}=${value}`)
      assert.deepStrictEqual(
        yield* FaultWords.parse("fixed-reply", ["status=503", `body=${body}`, ...fields]),
        Fault.fixedReply({ status: 503, headers, body })
      )
    })
  )

  it.effect.each([
    ["blackhole", [], "blackhole is not a fault; faults: cut, black-hole, half-open, latency, "],
    ["latency", [], "latency: ms is missing"],
    ["latency", ["ms=fast"], "latency: ms must be"],
    ["latency", ["ms=1", "ms=2"], "ms is given twice"],
    ["cut", ["ms=1"], "cut: unknown field ms"],
    ["cut", ["ms"], "ms is not an option of a fault; write ms=200 or match.verbs=list,watch"],
    ["forbidden", ["verbs=list"], "forbidden: unknown field verbs"],
    ["forbidden", ["match.verbs=read"], "forbidden: match.verbs[0] must be"],
    ["forbidden", ["where.verbs=list"], "where.verbs=list is not an option of a fault"]
  ] as const)("%s %j is refused: %s", ([name, fields, start]) =>
    Effect.gen(function* () {
      const { exitCode, message } = yield* Effect.flip(FaultWords.parse(name, fields))
      assert.strictEqual(exitCode, 2)
      assert.isTrue(message.startsWith(start), message)
    })
  )
})
