import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import * as Origin from "../../../src/http/guard/Origin.ts"

const check = (headers: ReadonlyArray<readonly [string, string]>, allowed: ReadonlyArray<string> = []) =>
  Origin.check.pipe(
    Effect.as("passes" as const),
    Effect.catch(({ code }) => Effect.succeed(code)),
    Effect.provideService(Origin.AllowedOrigins, allowed),
    Effect.provideService(
      HttpServerRequest.HttpServerRequest,
      HttpServerRequest.fromWeb(
        new Request("http://127.0.0.1/", { headers: headers.map(([name, value]) => [name, value]) })
      )
    )
  )

describe("Origin", () => {
  it.effect.each([
    ["no page", [["Host", "deck.example"]]],
    [
      "the server's own page",
      [
        ["Host", "deck.example"],
        ["Origin", "http://deck.example"]
      ]
    ],
    [
      "its own page behind a proxy that ends TLS",
      [
        ["Host", "deck.example"],
        ["Origin", "https://deck.example"]
      ]
    ],
    [
      "its own page, the scheme's port written out",
      [
        ["Host", "deck.example:443"],
        ["Origin", "https://deck.example"]
      ]
    ],
    [
      "its own page on another port",
      [
        ["Host", "[::1]:8080"],
        ["Origin", "http://[::1]:8080"]
      ]
    ]
  ] as const)("lets %s pass", ([, headers]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* check(headers), "passes")
    })
  )

  it.effect.each([
    [
      "another host",
      [
        ["Host", "deck.example"],
        ["Origin", "http://evil.example"]
      ]
    ],
    [
      "another port",
      [
        ["Host", "deck.example"],
        ["Origin", "http://deck.example:8080"]
      ]
    ],
    [
      "an opaque origin",
      [
        ["Host", "deck.example"],
        ["Origin", "null"]
      ]
    ],
    [
      "a file, where the host is empty",
      [
        ["Host", ""],
        ["Origin", "file://"]
      ]
    ],
    ["a page, where there is no host", [["Origin", "http://deck.example"]]],
    [
      "a host sent twice",
      [
        ["Host", "deck.example"],
        ["Host", "evil.example"],
        ["Origin", "http://deck.example"]
      ]
    ],
    [
      "a host with a path",
      [
        ["Host", "deck.example/x"],
        ["Origin", "http://deck.example"]
      ]
    ],
    [
      "a host with a user",
      [
        ["Host", "x@deck.example"],
        ["Origin", "http://deck.example"]
      ]
    ],
    [
      "an origin with a path",
      [
        ["Host", "deck.example"],
        ["Origin", "http://deck.example/x"]
      ]
    ],
    [
      "an origin sent twice",
      [
        ["Host", "deck.example"],
        ["Origin", "http://deck.example"],
        ["Origin", "http://deck.example"]
      ]
    ]
  ] as const)("refuses %s", ([, headers]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* check(headers), "origin_forbidden")
    })
  )

  it.effect("lets an allowed origin pass, byte for byte", () =>
    Effect.gen(function* () {
      const from = (origin: string) =>
        check(
          [
            ["Host", "deck.example"],
            ["Origin", origin]
          ],
          ["https://ops.example"]
        )
      assert.strictEqual(yield* from("https://ops.example"), "passes")
      assert.strictEqual(yield* from("https://OPS.example"), "origin_forbidden")
      assert.strictEqual(yield* from("https://ops.example.evil.example"), "origin_forbidden")
    })
  )
})
