/** What a load counts, against a server of Node's own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer } from "node:http"
import { port } from "../../src/load/Ready.ts"
import { run } from "../../src/load/Wire.ts"

const serving = Effect.acquireRelease(
  Effect.promise(async () => {
    const asked: Array<string> = []
    const server = createServer(({ url = "" }, response) => {
      asked.push(url)
      const isFirst = !url.includes("cursor=")
      const body = JSON.stringify({ rows: ["ü".repeat(100_000)], ...(isFirst ? { nextCursor: "behind+1" } : {}) })
      response.writeHead(url.startsWith("/refused") ? 403 : 200, { "content-length": Buffer.byteLength(body) })
      // Heads and bodies arrive in pieces, as they do over a network.
      response.flushHeaders()
      response.write(body.slice(0, 10))
      setImmediate(() => response.end(body.slice(10)))
    })
    return { asked, server, port: await port(server) }
  }),
  ({ server }) => Effect.sync(() => server.close())
)

describe("a load", () => {
  it.effect("counts what the server answered, and asks behind each cursor once", () =>
    Effect.gen(function* () {
      const { asked, port } = yield* serving
      const questions = Array.from({ length: 10_000 }, (_, index) => ({ path: `/rows?n=${index}`, key: "k" }))
      const result = yield* Effect.promise(() => run({ port, connections: 4, seconds: 0.2, questions, pages: true }))
      assert.strictEqual(result.answered, asked.length)
      assert.strictEqual(result.refused, 0)
      const followed = asked.filter((path) => path.endsWith("&cursor=behind%2B1"))
      assert.isAbove(followed.length, 0)
      assert.strictEqual(result.asked, asked.length - followed.length)
      assert.strictEqual(new Set(asked).size, asked.length)
    })
  )

  it.effect("counts what was refused", () =>
    Effect.gen(function* () {
      const { port } = yield* serving
      const questions = [{ path: "/refused", key: "k" }]
      const result = yield* Effect.promise(() => run({ port, connections: 1, seconds: 0.05, questions, pages: false }))
      assert.strictEqual(result.refused, result.answered)
    })
  )
})
