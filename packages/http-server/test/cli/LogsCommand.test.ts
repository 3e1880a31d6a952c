import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { problem, quarterdeck, service } from "./program.ts"

const log = () => ({ body: "one\n\ttwo \u001b[31mred\n", headers: { "content-type": "text/plain; charset=utf-8" } })

describe("quarterdeck logs", () => {
  it.live("prints the log, with what could rule a terminal as escapes", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(log)
      const done = yield* quarterdeck(
        ["logs", "pod/web-1", "-n", "shop", "-c", "prod", "--container", "web", "--since", "5m", "--tail", "10", "-p"],
        { env }
      )
      assert.deepStrictEqual(done, { stdout: "one\n\ttwo \\u{1b}[31mred\n", stderr: "", status: 0 })
      assert.deepStrictEqual(
        seen.map(({ method, url }) => [method, url.pathname, [...url.searchParams]]),
        [
          [
            "GET",
            "/api/v1/pods/prod/shop/web-1/logs",
            [
              ["container", "web"],
              ["previous", "true"],
              ["sinceSeconds", "300"],
              ["tailLines", "10"]
            ]
          ]
        ]
      )
    })
  )

  it.live("shows a line that would write over itself as it is, and keeps the ends of lines", () =>
    Effect.gen(function* () {
      const body = "paid 1 EUR\rpaid 9 EUR\r\nend\r"
      const { env } = yield* service(() => ({ body, headers: { "content-type": "text/plain; charset=utf-8" } }))
      const done = yield* quarterdeck(["logs", "web-1", "-n", "shop", "-c", "prod"], { env })
      assert.deepStrictEqual(done, { stdout: "paid 1 EUR\\u{d}paid 9 EUR\r\nend\\u{d}", stderr: "", status: 0 })
    })
  )

  it.live("tells a refusal by the flag that it came from", () =>
    Effect.gen(function* () {
      const { env } = yield* service(() =>
        problem(400, "invalid_parameter", { detail: "container: must be one of pod web-1: a, b", field: "container" })
      )
      const done = yield* quarterdeck(["logs", "web-1", "-c", "prod"], { env })
      assert.strictEqual(done.status, 2)
      assert.include(done.stderr, "--container: must be one of pod web-1: a, b")
    })
  )

  it.live("refuses a duration that is none, without a request", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(log)
      const done = yield* quarterdeck(["logs", "web-1", "--since", "soon"], { env })
      assert.strictEqual(done.status, 2)
      assert.include(done.stderr, "a duration such as 10s, 5m, 3h or 2d")
      assert.lengthOf(seen, 0)
    })
  )
})
