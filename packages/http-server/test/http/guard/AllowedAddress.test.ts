import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import * as AllowedAddress from "../../../src/http/guard/AllowedAddress.ts"
import { TrustedProxies } from "../../../src/limits/ClientAddress.ts"

/** The warnings for requests of these peers, with or without the header. */
const warningsOf = (peers: ReadonlyArray<readonly [peer: string | undefined, forwardedFor?: string]>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    const warn = yield* AllowedAddress.makeForwardingWarning
    for (const [peer, forwardedFor] of peers) {
      const headers: Record<string, string> = forwardedFor === undefined ? {} : { "x-forwarded-for": forwardedFor }
      const request = HttpServerRequest.fromWeb(new Request("http://localhost/", { headers }))
      yield* Effect.provide(
        warn(request.modify({ remoteAddress: Option.fromUndefinedOr(peer) })),
        Logger.layer([logger])
      )
    }
    return lines
  }).pipe(Effect.provideService(TrustedProxies, ["10.0.0.0/8"]))

describe("a peer that sends X-Forwarded-For", () => {
  it.effect("is warned of once where it is no trusted proxy", () =>
    Effect.gen(function* () {
      const lines = yield* warningsOf([
        ["10.1.2.3", "203.0.113.9"],
        ["192.0.2.1"],
        ["192.0.2.2", "203.0.113.9"],
        ["::ffff:192.0.2.2", "203.0.113.10"],
        ["2001:db8::1", "203.0.113.9"],
        ["2001:db8::2", "203.0.113.9"],
        [undefined, "203.0.113.9"]
      ])
      assert.lengthOf(lines, 2)
      assert.match(lines[0] ?? "", /^192\.0\.2\.2 sends X-Forwarded-For but is not a trusted proxy/)
      assert.match(lines[1] ?? "", /^2001:db8:0:0::\/64 sends/)
      assert.isTrue(lines.every((line) => line.includes("server.trustedProxies") && !line.includes("203.0.113")))
    })
  )

  it.effect("is one of a hundred that are warned of", () =>
    Effect.gen(function* () {
      const peers = Array.from({ length: 300 }, (_, index) => [`192.0.${index >> 8}.${index & 255}`, "x"] as const)
      const lines = yield* warningsOf(peers)
      assert.lengthOf(lines, 101)
      assert.include(lines.at(-1), "further peers are not logged")
    })
  )
})
