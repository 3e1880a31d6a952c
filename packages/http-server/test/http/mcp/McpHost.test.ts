import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import * as McpHost from "../../../src/http/mcp/McpHost.ts"
import { PublicUrl } from "../../../src/http/request/RequestConnection.ts"

const check = (host: string, listensOn = "127.0.0.1") =>
  McpHost.check.pipe(
    Effect.match({ onFailure: ({ code }) => code, onSuccess: () => "passed" }),
    Effect.provideService(
      HttpServerRequest.HttpServerRequest,
      HttpServerRequest.fromWeb(new Request("http://x/mcp", { headers: { host } }))
    ),
    Effect.provideService(McpHost.McpHosts, { listensOn, allowed: ["deck.internal", "2001:db8::7"] }),
    Effect.provideService(PublicUrl, "https://deck.example/ops")
  )

describe("McpHost", () => {
  it.effect.each([
    "localhost",
    "LOCALHOST:8080",
    "127.0.0.1:8080",
    "127.8.9.1",
    "[::1]:8080",
    "deck.example",
    "deck.internal:81",
    "[2001:db8::7]"
  ])("answers to %s", (host) => Effect.map(check(host), (found) => assert.strictEqual(found, "passed")))

  it.effect.each([
    "rebound.example",
    "127.0.0.1.rebound.example",
    "localhost.rebound.example:8080",
    "10.0.0.1",
    "",
    "127.0.0.1@rebound.example",
    "deck.example.rebound.example"
  ])("refuses %j over loopback", (host) =>
    Effect.map(check(host), (found) => assert.strictEqual(found, "host_forbidden"))
  )

  it.effect("answers to any name where others reach it, by whatever name they know", () =>
    Effect.map(check("any.example", "0.0.0.0"), (found) => assert.strictEqual(found, "passed"))
  )
})
