import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Fault from "../../src/faults/Fault.ts"

describe("a fault", () => {
  it.effect.prop("survives JSON", [Fault.Fault], ([fault]) =>
    Effect.gen(function* () {
      const sent: unknown = JSON.parse(JSON.stringify(fault))
      // Sent again, because JSON has no negative zero.
      assert.deepStrictEqual(JSON.parse(JSON.stringify(yield* Fault.decode(sent))), sent)
    })
  )

  it.effect("that a constructor makes is one that decodes", () =>
    Effect.gen(function* () {
      const match = { verbs: ["list"], resources: ["pods"], fraction: 0.5, next: 2 }
      // By tag, so that the compiler misses none.
      const all: { readonly [tag in Fault.Fault["_tag"]]: Fault.Fault } = {
        Cut: Fault.cut,
        BlackHole: Fault.blackHole,
        HalfOpen: Fault.halfOpen,
        Latency: Fault.latency({ ms: 5, jitterMs: 1 }),
        Bandwidth: Fault.bandwidth({ bytesPerSecond: 1_000 }),
        SlowDrip: Fault.slowDrip({ bytesPerSecond: 10 }),
        Unauthorized: Fault.unauthorized({ match }),
        Forbidden: Fault.forbidden({ user: "x" }),
        TooManyRequests: Fault.tooManyRequests({ retryAfterSeconds: 3 }),
        ServerError: Fault.serverError({ status: 503 }),
        ExpiredWatch: Fault.expiredWatch(),
        LostBookmarks: Fault.lostBookmarks({ keepInitialEventsEnd: true }),
        WatchCutEvery: Fault.watchCutEvery("2 seconds", { manner: "reset" }),
        TruncatedReply: Fault.truncatedReply({ afterBytes: 10 }),
        MalformedJson: Fault.malformedJson(),
        SlowReply: Fault.slowReply({ bodyAfterMs: 100 }),
        StaleCertificate: Fault.staleCertificate({ problem: "wrongHost" }),
        Down: Fault.down,
        LostData: Fault.lostData
      }
      for (const [tag, fault] of Object.entries(all)) {
        assert.deepStrictEqual(yield* Fault.decode(fault), fault)
        assert.strictEqual(fault._tag, tag)
      }
    })
  )

  for (const [what, value] of [
    ["an unknown tag", { _tag: "Earthquake" }],
    ["an unknown key", { _tag: "Latency", ms: 1, seconds: 1 }],
    ["a negative time", { _tag: "Latency", ms: -1 }],
    ["no bytes a second", { _tag: "Bandwidth", bytesPerSecond: 0 }],
    ["a share above all", { _tag: "Unauthorized", match: { fraction: 1.5 } }],
    ["a word that is none", { _tag: "Unauthorized", match: { verbs: "list" } }],
    ["a status that is no fault", { _tag: "ServerError", status: 200 }]
  ] as const) {
    it.effect(`with ${what} is refused`, () =>
      Effect.gen(function* () {
        assert.isTrue(Schema.isSchemaError(yield* Effect.flip(Fault.decode(value))))
      })
    )
  }
})
