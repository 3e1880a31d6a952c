import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Deployment } from "./Deployment.ts"
import { at, callTool, codeOf, connect } from "./McpSession.ts"
import { onOneDriver } from "./onEveryDriver.ts"

onOneDriver("mcp within limits", { options: { limits: { keyPerSecond: 1, keyBurst: 10 } }, children: [] }, (it) => {
  it.effect("a call of a tool costs what its route costs, and one over the limit says how long to wait", () =>
    Effect.gen(function* () {
      const { createKey, url } = yield* Deployment
      const { raw } = yield* createKey({ name: "model", rule: { role: "Viewer" } })
      // Beginning costs two of the ten: initialize, and that it was.
      const client = yield* connect(url, raw)
      const calls = yield* Effect.forEach(Array.from({ length: 12 }), () => callTool(client, "list_clusters"))
      const refused = calls.filter(({ isRefused }) => isRefused)
      assert.isAtLeast(refused.length, 1)
      assert.isAtMost(refused.length, 4)
      assert.strictEqual(codeOf(refused[0] ?? { answer: undefined }), "rate_limited")
      assert.isNumber(at(refused[0]?.answer, "retryAfterSeconds"))
      const unknown = yield* Effect.flip(Effect.tryPromise(() => client.callTool({ name: "no_such_tool" })))
      assert.include(String(unknown.cause), "429")
    })
  )
})
