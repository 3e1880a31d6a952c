import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import * as FiberRoster from "../../src/cache/FiberRoster.ts"

const made = Effect.gen(function* () {
  const scope = yield* Scope.make()
  return { fibers: yield* Scope.provide(FiberRoster.make, scope), scope }
})

describe("FiberRoster", () => {
  it.effect("interrupts what still runs when its scope ends, and starts nothing afterwards", () =>
    Effect.gen(function* () {
      const { fibers, scope } = yield* made
      const done = yield* fibers.fork(Effect.succeed(1))
      const running = yield* fibers.fork(Effect.never)
      assert.strictEqual(yield* Fiber.join(done), 1)
      yield* Scope.close(scope, Exit.void)
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(running)))
      let begun = false
      const late = yield* fibers.fork(Effect.sync(() => (begun = true)))
      assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(late)))
      assert.isFalse(begun)
    })
  )
})
