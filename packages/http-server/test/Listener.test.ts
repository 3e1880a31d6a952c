import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { request } from "node:http"
import * as Listener from "../src/Listener.ts"

const options = { host: "127.0.0.1", port: 0, shutdownMs: 5_000 }

const get = (url: string) =>
  Effect.callback<{ readonly status: number; readonly text: string }, Error>((resume) => {
    const outgoing = request(url, { agent: false }, (incoming) => {
      let text = ""
      incoming.setEncoding("utf8")
      incoming.on("data", (chunk: string) => {
        text += chunk
      })
      incoming.on("end", () => resume(Effect.succeed({ status: incoming.statusCode ?? 0, text })))
      incoming.on("error", (error) => resume(Effect.fail(error)))
    })
    outgoing.on("error", (error) => resume(Effect.fail(error)))
    outgoing.end()
  })

describe("Listener", () => {
  it.live("names the port that it was given when 0 was asked for", () =>
    Effect.gen(function*() {
      const { port, url } = yield* Listener.listen((_request, response) => response.end("hello"), options)
      assert.isAbove(port, 0)
      assert.deepStrictEqual(yield* get(url), { status: 200, text: "hello" })
    }))

  it.live("says in one line that the port is in use, and how to choose another", () =>
    Effect.gen(function*() {
      const { port } = yield* Listener.listen((_request, response) => response.end(), options)
      const error = yield* Effect.flip(Listener.listen((_request, response) => response.end(), { ...options, port }))
      assert.strictEqual(
        error.message,
        `cannot listen on 127.0.0.1:${port}: the port is in use; choose another by --port or QUARTERDECK_PORT`
      )
    }))

  it.live("finishes the reply in flight and takes no new connection when it stops", () =>
    Effect.gen(function*() {
      const arrived = yield* Deferred.make<void>()
      const finish = yield* Deferred.make<void>()
      const context = yield* Effect.context<never>()
      const scope = yield* Effect.scope
      const stopped = yield* Deferred.make<void>()
      const listening = yield* Deferred.make<Listener.Listener>()
      const stop = yield* Deferred.make<void>()
      yield* Effect.forkIn(
        Effect.andThen(
          Effect.scoped(Effect.gen(function*() {
            const listener = yield* Listener.listen((_request, response) => {
              Deferred.doneUnsafe(arrived, Effect.void)
              Effect.runForkWith(context)(Effect.andThen(Deferred.await(finish), Effect.sync(() => response.end("whole"))))
            }, options)
            yield* Deferred.succeed(listening, listener)
            yield* Deferred.await(stop)
          })),
          Deferred.succeed(stopped, undefined)
        ),
        scope
      )
      const { url } = yield* Deferred.await(listening)
      const reply = yield* Effect.forkChild(get(url), { startImmediately: true })
      yield* Deferred.await(arrived)
      yield* Deferred.succeed(stop, undefined)
      const refused = yield* Effect.flip(get(url)).pipe(Effect.eventually)
      assert.include(refused.message, "ECONNREFUSED")
      yield* Deferred.succeed(finish, undefined)
      assert.deepStrictEqual(yield* Fiber.join(reply), { status: 200, text: "whole" })
      yield* Deferred.await(stopped)
    }))

  it.live("cuts what is still in flight after shutdownMs", () =>
    Effect.gen(function*() {
      const arrived = yield* Deferred.make<void>()
      const reply = yield* Effect.scoped(Effect.gen(function*() {
        const { url } = yield* Listener.listen(() => Deferred.doneUnsafe(arrived, Effect.void), { ...options, shutdownMs: 50 })
        const reply = yield* Effect.forkDetach(Effect.flip(get(url)))
        yield* Deferred.await(arrived)
        return reply
      }))
      assert.include((yield* Fiber.join(reply)).message, "hang up")
    }))
})
