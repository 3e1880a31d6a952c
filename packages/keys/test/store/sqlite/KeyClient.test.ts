import { assert, describe, it } from "@effect/vitest"
import { DiskReserve, ThreadFault } from "@quarterdeck/sqlite-thread"
import { Effect } from "effect"
import type { KeyStoreError } from "../../../src/KeyError.ts"
import { over } from "../../../src/store/sqlite/KeyClient.ts"

const errorOf = (fault: ThreadFault.ThreadFault): Effect.Effect<KeyStoreError, ReadonlyArray<unknown>> =>
  Effect.map(DiskReserve.CurrentReserve, (reserve) => over({ call: () => Effect.fail(fault) }, reserve)).pipe(
    Effect.flatMap((client) => Effect.flip(client.call({ operation: "count" })))
  )

describe("the thread of the key store", () => {
  it.effect("says that it takes no more while too many calls wait", () =>
    Effect.gen(function* () {
      const { message } = yield* errorOf(new ThreadFault.ThreadBusy({ waiting: 1_000 }))
      assert.strictEqual(message, "the key store has 1000 waiting calls, its maximum; retry later")
    })
  )

  it.effect("tells what it died of, and what was not answered in time", () =>
    Effect.gen(function* () {
      const ended = yield* errorOf(new ThreadFault.ThreadEnded({ cause: new Error("out of luck") }))
      assert.strictEqual(ended.reason._tag === "StoreFailed" && String(ended.reason.cause), "Error: out of luck")
      const late = yield* errorOf(new ThreadFault.ThreadTimedOut({ timeoutMs: 10_000 }))
      assert.strictEqual(late.reason._tag, "StoreTimedOut")
    })
  )
})
