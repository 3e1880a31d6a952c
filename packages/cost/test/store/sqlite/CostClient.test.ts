import { assert, describe, it } from "@effect/vitest"
import { DiskReserve, ThreadFault } from "@quarterdeck/sqlite-thread"
import { Effect } from "effect"
import { over } from "../../../src/store/sqlite/CostClient.ts"
import type { Outcome } from "../../../src/store/sqlite/CostProtocol.ts"

const answering = (settled: Effect.Effect<Outcome, ThreadFault.ThreadFault>) =>
  over({ call: () => settled }, DiskReserve.CurrentReserve.defaultValue())

const messageOf = (settled: Effect.Effect<Outcome, ThreadFault.ThreadFault>) =>
  Effect.map(Effect.flip(answering(settled).call({ operation: "extents" })), ({ message }) => message)

describe("the thread of the cost history", () => {
  it.effect.each([
    [new ThreadFault.ThreadEnded({ cause: new Error("the thread ended with code 3") }), "the thread ended with code 3"],
    [new ThreadFault.ThreadBusy({ waiting: 1_000 }), "1000 calls are waiting"],
    [new ThreadFault.ThreadTimedOut({ timeoutMs: 60_000 }), "no answer within 60000 ms"]
  ] as const)("says what could not be done, and that %s", ([fault, cause]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* messageOf(Effect.fail(fault)), `could not list the hours that are kept: ${cause}`)
    })
  )

  it.effect("hands on what the thread could not do", () =>
    Effect.gen(function* () {
      const failed = messageOf(Effect.succeed({ outcome: "failed", message: "the disk is full", isDiskFull: false }))
      assert.strictEqual(yield* failed, "could not list the hours that are kept: the disk is full")
    })
  )
})
