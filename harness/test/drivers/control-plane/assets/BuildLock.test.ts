import { assert, describe, it } from "@effect/vitest"
import { readdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { Deferred, Effect, Fiber, Ref } from "effect"
import * as BuildLock from "../../../../src/drivers/control-plane/assets/BuildLock.ts"
import { inRealTime } from "../../../../src/machine/Machine.ts"
import { processWorld } from "../../../../src/machine/Processes.ts"
import { temporaryDirectory } from "../../../machine/Fixture.ts"

describe("BuildLock", () => {
  it.effect("lets one builder in at a time, and tells the other whom it waits for", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryDirectory, "lock")
      const told = yield* Deferred.make<string>()
      const order = yield* Ref.make<ReadonlyArray<string>>([])
      const note = (what: string) => Ref.update(order, (seen) => [...seen, what])
      const waiting = (owner: string) => Effect.asVoid(Deferred.succeed(told, owner))

      const second = yield* Effect.scoped(
        Effect.gen(function* () {
          yield* BuildLock.acquire(path, waiting)
          const other = yield* BuildLock.acquire(path, waiting).pipe(
            Effect.andThen(note("second")),
            Effect.scoped,
            inRealTime,
            Effect.forkDetach({ startImmediately: true })
          )
          assert.strictEqual(yield* Deferred.await(told), String(process.pid))
          yield* note("first")
          return other
        })
      )
      yield* Fiber.join(second)
      assert.deepStrictEqual(yield* Ref.get(order), ["first", "second"])
    })
  )

  it.effect("takes over from an owner that no longer runs", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const path = join(directory, "lock")
      const world = yield* Effect.promise(() => processWorld())
      yield* Effect.promise(() => writeFile(path, `1999999_12345_${world}`))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* BuildLock.acquire(path, () => Effect.die(new Error("there is nobody to wait for")))
          const held = yield* Effect.promise(() => readFile(path, "utf8"))
          assert.isTrue(held.startsWith(`${process.pid}_`))
        })
      )
      assert.isEmpty(yield* Effect.promise(() => readdir(directory)))
    })
  )
})
