/** An audit in a temporary directory, for tests. */
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { AuditKey, KEY_FILE } from "../../src/audit/AuditKey.ts"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { AuditStore } from "../../src/audit/AuditStore.ts"
import { temporaryDirectory } from "../temporaryDirectory.ts"

const key = new Uint8Array(32).fill(7)

/** Makes a directory with the key of an installation. */
export const directoryWithKey = Effect.tap(temporaryDirectory, (directory) =>
  Effect.promise(() => writeFile(join(directory, KEY_FILE), key))
)

export const storeIn = (directory: string) =>
  Layer.fresh(AuditStore.layerSqlite({ directory })).pipe(
    Layer.provideMerge(Layer.succeed(AuditKey, Redacted.make(key)))
  )

/** The audit log over the store of a directory. */
export const logIn = (directory: string) =>
  Layer.fresh(AuditLog.layer({ directory })).pipe(Layer.provideMerge(storeIn(directory)))

/**
 * Advances the test clock second by second until a condition holds, since threads and files answer in real time.
 *
 * **Limits** 10 s of real time.
 */
export const passUntil = <A, E, R>(
  read: Effect.Effect<A, E, R>,
  holds: (value: A) => boolean
): Effect.Effect<A, E, R> =>
  Effect.gen(function* () {
    for (let time = 0; time < 1_000; time++) {
      const value = yield* read
      if (holds(value)) return value
      yield* TestClock.adjust("1 second")
      yield* Effect.promise(() => setTimeout(10))
    }
    return yield* Effect.die(new Error("it never held"))
  })
