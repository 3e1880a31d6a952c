import { NodeHttpServer } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { CostError, StoreUnavailable } from "@quarterdeck/cost/CostError"
import { Deferred, Effect, Stream } from "effect"
import { get, type IncomingMessage } from "node:http"
import * as CostFile from "../../../src/http/costs/CostFile.ts"
import * as Listener from "../../../src/Listener.ts"

const FACTS: CostFile.FileFacts = {
  what: "costs",
  window: { start: "2026-03-01T10:00:00.000Z", end: "2026-03-08T10:20:00.000Z" },
  partial: true
}

const PART = `${"x".repeat(65_535)}\n`

/** Serves a file over real HTTP. */
const serve = Effect.fnUntraced(function* (text: Stream.Stream<string, CostError>) {
  const scope = yield* Effect.scope
  const handler = yield* NodeHttpServer.makeHandler(Effect.succeed(CostFile.reply(FACTS, text)), { scope })
  return (yield* Listener.listen(handler, { host: "127.0.0.1", port: 0, shutdownMs: 100 })).url
})

/** Asks for it, and reads nothing yet. */
const begin = (url: string): Effect.Effect<IncomingMessage, Error> =>
  Effect.callback((resume) => {
    get(url, { agent: false }, (reply) => resume(Effect.succeed(reply))).on("error", (error) =>
      resume(Effect.fail(error))
    )
  })

const read = (reply: IncomingMessage): Effect.Effect<{ readonly bytes: number; readonly isWhole: boolean }> =>
  Effect.callback((resume) => {
    let bytes = 0
    reply.on("data", (chunk: Buffer) => {
      bytes += chunk.length
    })
    reply.on("error", () => {})
    reply.on("close", () => resume(Effect.succeed({ bytes, isWhole: reply.complete })))
  })

/** Reads so many bytes, and leaves the rest. */
const readBytes = (reply: IncomingMessage, wanted: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    let bytes = 0
    reply.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes < wanted) return
      reply.pause()
      resume(Effect.void)
    })
  })

const counted = (parts: { made: number }): Stream.Stream<string> =>
  Stream.fromEffectRepeat(
    Effect.sync(() => {
      parts.made += 1
      return PART
    })
  )

describe("a file of costs", () => {
  it.live("is made at the reader's pace, and no longer made when the reader has gone", () =>
    Effect.gen(function* () {
      const parts = { made: 0 }
      const ended = yield* Deferred.make<void>()
      const text = counted(parts).pipe(Stream.ensuring(Deferred.succeed(ended, undefined)))
      const reply = yield* begin(yield* serve(text))
      yield* readBytes(reply, 100 * PART.length)
      assert.isBelow(parts.made, 300, "what nobody has read yet is not made")
      reply.destroy()
      yield* Deferred.await(ended)
    }).pipe(Effect.scoped)
  )

  it.live("that fails on the way is cut off, so that nobody takes it for the whole", () =>
    Effect.gen(function* () {
      const failure = new CostError({
        reason: new StoreUnavailable({ action: "read costs", cause: new Error("gone") })
      })
      const text = Stream.concat(Stream.make(PART), Stream.fail(failure))
      const { isWhole } = yield* read(yield* begin(yield* serve(text)))
      assert.isFalse(isWhole)
    }).pipe(Effect.scoped)
  )

  it.live("that is read to its end is whole, has a name, and tells whether something is missing", () =>
    Effect.gen(function* () {
      const reply = yield* begin(yield* serve(Stream.make(PART, PART)))
      assert.deepStrictEqual(yield* read(reply), { bytes: 2 * PART.length, isWhole: true })
      const { "content-disposition": disposition, "x-quarterdeck-partial": partial } = reply.headers
      assert.strictEqual(disposition, 'attachment; filename="costs-2026-03-01T1000Z-2026-03-08T1020Z.csv"')
      assert.strictEqual(partial, "true")
    }).pipe(Effect.scoped)
  )
})
