import { assert, describe, it } from "@effect/vitest"
import { Console, Effect, Exit, Layer, Logger, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Console as NodeConsole } from "node:console"
import { Writable } from "node:stream"
import * as LogLines from "../../src/services/LogLines.ts"

/** A console whose writes to standard error are kept, and a logger that writes there. */
const world = Effect.gen(function* () {
  const written: Array<string> = []
  const console = new NodeConsole(
    new Writable({
      decodeStrings: false,
      write: (text: string, _encoding, done) => {
        written.push(text.trimEnd())
        done()
      }
    })
  )
  const scope = yield* Scope.make()
  const plain = Logger.make<unknown, string>(({ message }) => String(message))
  const services = yield* Layer.buildWithScope(Logger.layer([LogLines.make(plain)]), scope)
  const log = <A>(effect: Effect.Effect<A>) =>
    effect.pipe(Effect.provideService(Console.Console, console), Effect.provide(services))
  return { written, log, close: Scope.close(scope, Exit.void) }
})

describe("log lines that are written together", () => {
  it.effect("those of 20 ms are one write, in order", () =>
    Effect.gen(function* () {
      const { log, written } = yield* world
      yield* log(Effect.andThen(Effect.logInfo("one"), Effect.logInfo("two")))
      assert.deepStrictEqual(written, [])
      yield* TestClock.adjust("20 millis")
      assert.deepStrictEqual(written, ["one\ntwo"])
      yield* log(Effect.logInfo("three"))
      yield* TestClock.adjust("20 millis")
      assert.deepStrictEqual(written, ["one\ntwo", "three"])
    })
  )

  it.effect("a warning is written at once, behind what came before it", () =>
    Effect.gen(function* () {
      const { log, written } = yield* world
      yield* log(Effect.andThen(Effect.logInfo("one"), Effect.logWarning("two")))
      assert.deepStrictEqual(written, ["one\ntwo"])
      yield* log(Effect.logError("three"))
      assert.deepStrictEqual(written, ["one\ntwo", "three"])
    })
  )

  it.effect("what waits at the end of the service is written then, and what is logged later at once", () =>
    Effect.gen(function* () {
      const { close, log, written } = yield* world
      yield* log(Effect.logInfo("one"))
      yield* close
      assert.deepStrictEqual(written, ["one"])
      yield* log(Effect.logInfo("two"))
      assert.deepStrictEqual(written, ["one", "two"])
    })
  )

  it.effect("no more than a thousand wait", () =>
    Effect.gen(function* () {
      const { log, written } = yield* world
      yield* log(Effect.forEach(Array.from({ length: 1_500 }), (_, index) => Effect.logInfo(`${index}`)))
      assert.deepStrictEqual(
        written.map((text) => text.split("\n").length),
        [1_000]
      )
    })
  )
})
