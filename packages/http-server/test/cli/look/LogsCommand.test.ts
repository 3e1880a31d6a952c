import { assert, describe, it } from "@effect/vitest"
import { LOG_END } from "@quarterdeck/contract/PodGroup"
import { Effect, Schema } from "effect"
import { FollowedText } from "../../../src/cli/look/LogFollow.ts"
import { problem, quarterdeck, service } from "../program.ts"

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

  it.live("follows a log, and tells on standard error why it ended", () =>
    Effect.gen(function* () {
      const lines = `one\n${LOG_END}not this\ntwo\n${LOG_END}container_ended: it ended\n`
      const { env, seen } = yield* service(() => ({ ...log(), body: lines }))
      const done = yield* quarterdeck(["logs", "-f", "web-1", "-c", "prod", "--tail", "10"], { env })
      assert.deepStrictEqual(done, {
        stdout: `one\n${LOG_END}not this\ntwo\n`,
        stderr: "quarterdeck: the log ends here: container_ended: it ended\n",
        status: 0
      })
      assert.deepStrictEqual(
        seen.map(({ url }) => url.search),
        ["?follow=true&tailLines=10"]
      )
    })
  )

  it.live.each([
    [`one\n${LOG_END}key_revoked: the key may no longer read the log\n`, "one\n", "key_revoked"],
    ["one\ntw", "one\ntw", "the log is truncated"]
  ] as const)("fails where a log that is followed ends otherwise: %j", ([body, stdout, why]) =>
    Effect.gen(function* () {
      const { env } = yield* service(() => ({ ...log(), body }))
      const done = yield* quarterdeck(["logs", "-f", "web-1", "-c", "prod"], { env })
      assert.deepStrictEqual([done.stdout, done.status], [stdout, 1])
      assert.include(done.stderr, why)
    })
  )

  it.prop(
    "shows the same however the log was cut into parts",
    { parts: Schema.Array(Schema.Literals(["\n", "one", LOG_END, LOG_END.slice(0, 9), LOG_END.slice(9), "\n\n"])) },
    ({ parts }) => {
      const read = (pieces: ReadonlyArray<string>) => {
        const text = new FollowedText()
        const shown = pieces.map((piece) => text.push(piece)).join("")
        return [shown, text.held, text.end]
      }
      const whole = parts.join("")
      assert.deepStrictEqual(read(parts), read([whole]))
      assert.deepStrictEqual(read(whole.split("")), read([whole]))
      assert.strictEqual(read(parts).slice(0, 2).join(""), whole)
    }
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
