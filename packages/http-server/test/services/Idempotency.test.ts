import { assert, describe, it } from "@effect/vitest"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { layerSqlite } from "@quarterdeck/keys/store/Sqlite"
import { Deferred, Effect, Fiber, FileSystem, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Idempotency, type OnceCall } from "../../src/services/Idempotency.ts"

class NotDone extends Schema.TaggedError<NotDone>()("NotDone", {}) {}

const CALL: OnceCall = { owner: "key_one", key: "release-1", asked: "restart web" }
const once = <E>(work: Effect.Effect<string, E>, change: Partial<OnceCall> = {}) =>
  Effect.flatMap(Idempotency, (idempotency) => idempotency.once({ ...CALL, ...change }, work))
const never = Effect.die(new Error("it was done again"))

/** A service over the file of a directory, as one start of the server has it. */
const start = (directory: string) => Idempotency.layer.pipe(Layer.provideMerge(layerSqlite({ directory })))

const inDirectory = <A, E>(test: (directory: string) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    return yield* test(yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-once-" }))
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))

describe("Idempotency", () => {
  it.effect("gives the first answer again, also after a restart, for 24 hours", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const first = once(Effect.succeed("done")).pipe(Effect.provide(start(directory)))
        assert.strictEqual(yield* first, "done")
        const again = once(never).pipe(Effect.provide(start(directory)))
        assert.strictEqual(yield* again, "done")
        yield* TestClock.adjust("23 hours")
        assert.strictEqual(yield* again, "done")
        yield* TestClock.adjust("2 hours")
        const anew = once(Effect.succeed("done anew")).pipe(Effect.provide(start(directory)))
        assert.strictEqual(yield* anew, "done anew")
      })
    )
  )

  it.effect("refuses what differs, and tells callers and names apart", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        assert.strictEqual(yield* once(Effect.succeed("one")), "one")
        const other = yield* Effect.flip(once(never, { asked: "pause web" }))
        assert.strictEqual(other._tag, "IdempotencyMismatch")
        assert.strictEqual(yield* once(Effect.succeed("two"), { owner: "key_two" }), "two")
        assert.strictEqual(yield* once(Effect.succeed("three"), { key: "release-2" }), "three")
      }).pipe(Effect.provide(start(directory)))
    )
  )

  it.effect("forgets a call of which nothing was done", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const failed = yield* Effect.flip(once(Effect.fail(new NotDone())))
        assert.strictEqual(failed._tag, "NotDone")
        assert.strictEqual(yield* once(Effect.succeed("done")), "done")
      }).pipe(Effect.provide(start(directory)))
    )
  )

  it.effect("does a call to its end whose caller has left, and answers who asks meanwhile with its answer", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const end = yield* Deferred.make<void>()
        const work = Effect.andThen(Deferred.succeed(begun, undefined), Effect.as(Deferred.await(end), "done"))
        const left = yield* Effect.forkChild(once(work))
        yield* Deferred.await(begun)
        yield* Fiber.interrupt(left)
        const waiting = yield* Effect.forkChild(once(never), { startImmediately: true })
        yield* Deferred.succeed(end, undefined)
        assert.strictEqual(yield* Fiber.join(waiting), "done")
      }).pipe(Effect.provide(start(directory)))
    )
  )

  it.effect("does not do again what a server began that ended before it knew how that ends", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        const begun = yield* Deferred.make<void>()
        const work = Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
        yield* Effect.gen(function* () {
          yield* Effect.forkChild(once(work))
          yield* Deferred.await(begun)
        }).pipe(Effect.provide(start(directory)))
        const unknown = yield* Effect.flip(once(never)).pipe(Effect.provide(start(directory)))
        assert.strictEqual(unknown._tag, "IdempotencyUnknown")
      })
    )
  )

  it.effect("keeps so many of one caller, and says when there is room again", () =>
    inDirectory((directory) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("1 hour")
        yield* once(Effect.succeed("x".repeat(8 * 1024 * 1024)), { key: "as much as may be" })
        yield* TestClock.adjust("1 hour")
        const full = yield* Effect.flip(once(never))
        assert.strictEqual(full._tag, "IdempotencyFull")
        if (full._tag === "IdempotencyFull") assert.strictEqual(full.retryAfterSeconds, 23 * 3_600)
        assert.strictEqual(yield* once(Effect.succeed("done"), { owner: "key_two" }), "done")
      }).pipe(Effect.provide(start(directory)))
    )
  )
})
