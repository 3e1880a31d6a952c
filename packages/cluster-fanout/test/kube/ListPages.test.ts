import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Semaphore } from "effect"
import { getPage, ONE, PageSizes } from "../../src/kube/ListPages.ts"
import { Transport } from "../../src/kube/Transport.ts"
import * as turnBudget from "../../src/kube/TurnBudget.ts"
import * as Kind from "../../src/projection/Kind.ts"
import { clusterOf } from "../fixture/FakeFleet.ts"
import { pod } from "../fixture/KubeObjects.ts"

const body = Buffer.from(JSON.stringify({ metadata: { resourceVersion: "5" }, items: [pod("a")] }))

const bounds = { maxObjects: 10, listMs: 1_000, pageBytes: 1_000 }

describe("a page", () => {
  it.live("of a single object is read while pages of others are being read, and another one waits for them", () =>
    Effect.gen(function* () {
      const transport = Transport.of({
        call: () => Effect.succeed({ status: 200, contentType: "application/json", body }),
        open: () => Effect.die("no page is left open")
      })
      const pagesOf = (parsing: Semaphore.Semaphore) => (limit?: number) =>
        getPage(
          { transport, parsing, turns: turnBudget.make(4), bounds, sizes: new PageSizes() },
          clusterOf("prod"),
          { resource: Kind.resources.Pod },
          { continueToken: undefined, limit }
        )
      const parsing = yield* Semaphore.make(1)
      const page = pagesOf(parsing)
      yield* parsing.take(1)
      const waiting = yield* Effect.forkChild(page())
      // It began later, and does as much.
      yield* pagesOf(yield* Semaphore.make(1))()
      assert.strictEqual((yield* page(ONE)).resourceVersion, "5")
      assert.isUndefined(waiting.pollUnsafe())
      yield* parsing.release(1)
      assert.strictEqual((yield* Fiber.join(waiting)).resourceVersion, "5")
    })
  )
})
