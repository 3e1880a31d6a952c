import { assert, describe, it } from "@effect/vitest"
import { createServer } from "node:net"
import { Effect } from "effect"
import * as Ports from "../../src/internal/Ports.ts"

describe("Ports", () => {
  it.effect("are free, differ, and lie below the ports of outgoing connections", () =>
    Effect.gen(function* () {
      const ports = yield* Effect.all(
        Array.from({ length: 40 }, () => Ports.free),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(ports).size, 40)
      for (const port of ports) {
        assert.isAtLeast(port, 20_000)
        assert.isBelow(port, 32_768)
        yield* Effect.promise(
          () =>
            new Promise<void>((resolve, reject) => {
              const server = createServer()
              server.once("error", reject)
              server.listen(port, "127.0.0.1", () => server.close(() => resolve()))
            })
        )
      }
    })
  )
})
