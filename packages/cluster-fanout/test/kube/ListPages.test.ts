import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Semaphore } from "effect"
import { TestClock } from "effect/testing"
import { getPage, ONE } from "../../src/kube/ListPages.ts"
import { Transport } from "../../src/kube/Transport.ts"
import * as turnBudget from "../../src/kube/TurnBudget.ts"
import * as Kind from "../../src/projection/Kind.ts"
import { clusterOf } from "../fixture/FakeFleet.ts"
import { pod } from "../fixture/KubeObjects.ts"

const body = Buffer.from(JSON.stringify({ metadata: { resourceVersion: "5" }, items: [pod("a")] }))

describe("a page", () => {
  it.effect("of a single object is read while pages of others are being read, and another one waits for them", () =>
    Effect.gen(function* () {
      const parsing = yield* Semaphore.make(1)
      const pages = {
        transport: Transport.of({
          call: () => Effect.succeed({ status: 200, contentType: "application/json", body }),
          open: () => Effect.die("no page is left open")
        }),
        parsing,
        turns: turnBudget.make(4)
      }
      const page = (limit?: string) =>
        getPage(
          pages,
          clusterOf("prod"),
          { resource: Kind.resources.Pod },
          { continueToken: undefined, ...(limit === undefined ? {} : { limit }) }
        )
      yield* parsing.take(1)
      assert.strictEqual((yield* page(ONE)).resourceVersion, "5")
      const other = yield* Effect.forkChild(page())
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(other.pollUnsafe())
      yield* parsing.release(1)
      assert.isTrue(Exit.isSuccess(yield* Fiber.await(other)))
    })
  )
})
