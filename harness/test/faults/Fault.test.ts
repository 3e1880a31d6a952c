import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
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
      const match = { verbs: ["list"], resources: ["pods"], fraction: 0.5, next: 2 } as const
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
        FixedReply: Fault.fixedReply({ status: 302, headers: { location: "/login" }, body: "" }),
        ResetReply: Fault.resetReply({ match }),
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

  for (const [what, value, problem] of [
    ["an unknown tag", { _tag: "Earthquake" }, "its _tag must be one of Cut, BlackHole, "],
    ["no tag", "cut", "its _tag must be one of Cut, BlackHole, "],
    ["an unknown key", { _tag: "Latency", ms: 1, seconds: 1 }, "unknown field seconds"],
    ["a key that is left out", { _tag: "Latency" }, "ms is missing"],
    ["a negative time", { _tag: "Latency", ms: -1 }, "ms must be a value greater than or equal to 0"],
    ["no bytes a second", { _tag: "Bandwidth", bytesPerSecond: 0 }, "bytesPerSecond must be a value greater than"],
    ["a share above all", { _tag: "Unauthorized", match: { fraction: 1.5 } }, "match.fraction must be a value between"],
    ["a word that is none", { _tag: "Unauthorized", match: { verbs: "list" } }, "match.verbs must be array"],
    [
      "a verb that is none",
      { _tag: "Forbidden", match: { verbs: ["get", "GETT"] } },
      'match.verbs[1] must be "get" or "list" or "watch" or "create" or '
    ],
    [
      "a header that is none",
      { _tag: "FixedReply", headers: { "Retry After": "1" } },
      "unknown field headers.Retry After"
    ],
    [
      "a header that the body decides",
      { _tag: "FixedReply", headers: { "content-length": "1" } },
      "unknown field headers.content-length"
    ],
    [
      "a header of two lines",
      { _tag: "FixedReply", headers: { location: "/\r\nset-cookie: a" } },
      "headers.location must be a header value without line breaks"
    ],
    ["a status that is no fault", { _tag: "ServerError", status: 200 }, "status must be 500 or 502 or 503 or 504"]
  ] as const) {
    it.effect(`with ${what} is refused, by its field and what may stand there`, () =>
      Effect.gen(function* () {
        const { message } = yield* Effect.flip(Fault.decode(value))
        assert.include(message, `cannot be injected: ${problem}`)
        assert.notInclude(message, "\n")
      })
    )
  }

  it("that is none is refused where it is made", () => {
    assert.throws(() => Fault.latency({ ms: -1 }), "the fault Latency cannot be injected: ms must be ")
    // As a caller without types writes it.
    const options: unknown = { match: { verbs: ["GETT"] } }
    assert.throws(() => void Reflect.apply(Fault.forbidden, undefined, [options]), "match.verbs[0] must be ")
  })
})
