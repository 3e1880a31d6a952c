import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { existsSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import * as DiskReserve from "../src/DiskReserve.ts"

const temporaryDirectory = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "quarterdeck-reserve-"))),
  (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
)

const FULL: DiskReserve.Failed = { outcome: "failed", message: "database or disk is full", isDiskFull: true }

/** Starts a write that ends with the deferred, then a revocation that meets a full disk. */
const writeAndRevoke = Effect.gen(function* () {
  const reserve = yield* DiskReserve.CurrentReserve
  const written = yield* Deferred.make<void>()
  const write = yield* Effect.forkChild(
    DiskReserve.send(reserve, "write", Effect.as(Deferred.await(written), { outcome: "done" })),
    { startImmediately: true }
  )
  let calls = 0
  const revoke = yield* Effect.forkChild(
    DiskReserve.send(
      reserve,
      "revoke",
      Effect.sync(() => (calls++ === 0 ? FULL : { outcome: "done" }))
    ),
    { startImmediately: true }
  )
  yield* Effect.promise(() => setTimeout(50))
  return { reserve, revoke, write, written }
})

/** Runs a test over the reserve of a directory. */
const withReserve = (test: (file: string) => Effect.Effect<void>) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    yield* test(join(directory, DiskReserve.FILE_NAME)).pipe(
      Effect.provide(Layer.fresh(DiskReserve.layer({ directory })))
    )
  }).pipe(Effect.scoped)

describe("the reserve of a full disk", () => {
  it.effect("is removed once the writes under way have ended, and no other write is sent", () =>
    withReserve((file) =>
      Effect.gen(function* () {
        const { reserve, revoke, write, written } = yield* writeAndRevoke
        assert.isTrue(reserve.isFull())
        assert.isTrue(existsSync(file))
        const refused = yield* DiskReserve.send(reserve, "write", Effect.die("was sent"))
        assert.deepStrictEqual(refused, {
          outcome: "failed",
          message: "the disk is full: only revocations are written until it has room again",
          isDiskFull: true
        })
        yield* Deferred.succeed(written, undefined)
        assert.deepStrictEqual(yield* Fiber.join(write), { outcome: "done" })
        assert.deepStrictEqual(yield* Fiber.join(revoke), { outcome: "done" })
        assert.isFalse(existsSync(file))
      })
    )
  )

  it.effect("is removed after 5 s even if a write does not end", () =>
    withReserve((file) =>
      Effect.gen(function* () {
        const { revoke } = yield* writeAndRevoke
        yield* TestClock.adjust("4999 millis")
        assert.isTrue(existsSync(file))
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(yield* Fiber.join(revoke), { outcome: "done" })
        assert.isFalse(existsSync(file))
      })
    )
  )

  it.effect("is made again after its removal, not before, if the disk has room meanwhile", () =>
    withReserve((file) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("7 seconds")
        const { reserve, revoke, written } = yield* writeAndRevoke
        // The disk is checked every 10 s, so now too.
        yield* TestClock.adjust("4 seconds")
        assert.isTrue(reserve.isFull())
        yield* Deferred.succeed(written, undefined)
        yield* Fiber.join(revoke)
        while (reserve.isFull()) yield* Effect.promise(() => setTimeout(5))
        assert.isTrue(existsSync(file))
      })
    )
  )

  it.effect("is removed, and the disk is reported as full, although the caller was interrupted", () =>
    withReserve((file) =>
      Effect.gen(function* () {
        const { reserve, revoke } = yield* writeAndRevoke
        const interrupted = yield* Effect.forkChild(Fiber.interrupt(revoke), { startImmediately: true })
        const gauge = (yield* Metric.snapshot).find(({ id }) => id === "quarterdeck_disk_full")
        assert.deepInclude(gauge?.state, { value: 1 })
        yield* TestClock.adjust("5 seconds")
        yield* Fiber.join(interrupted)
        assert.isFalse(existsSync(file))
        assert.isTrue(reserve.isFull())
      })
    )
  )
})
