import { assert, describe, it } from "@effect/vitest"
import { Effect, Logger, References } from "effect"
import { TestClock } from "effect/testing"
import * as RefusalLog from "../../src/limits/RefusalLog.ts"

const collect = () => {
  const lines: Array<string> = []
  const logger = Logger.make(({ fiber, logLevel, message }) => {
    lines.push(`${logLevel} ${String(message)} ${JSON.stringify(fiber.getRef(References.CurrentLogAnnotations))}`)
  })
  return { lines, layer: Logger.layer([logger]) }
}

describe("the log of refusals", () => {
  it.effect("has four single lines a second, and one that says how many more, why and from where", () => {
    const { layer, lines } = collect()
    return Effect.gen(function* () {
      const log = yield* RefusalLog.make
      const single = Array.from({ length: 1_000 }, (_, index) =>
        log.hasLine({
          address: `198.51.100.${index % 7}`,
          problem: index % 100 === 0 ? "rate_limited" : "invalid_key"
        })
      ).filter(Boolean)
      assert.lengthOf(single, 4)
      assert.deepStrictEqual(lines, [])
      yield* TestClock.adjust("1 second")
      assert.lengthOf(lines, 1)
      assert.match(lines[0] ?? "", /^Warn requests refused .*"count":996,"problems":"invalid_key 987, rate_limited 9"/)
      assert.match(lines[0] ?? "", /"addresses":"(?:198\.51\.100\.\d 14\d, ){4}198\.51\.100\.\d 14\d and 2 more"/)
      yield* TestClock.adjust("5 seconds")
      assert.lengthOf(lines, 1)
      assert.isTrue(log.hasLine({ address: undefined, problem: "invalid_key" }))
    }).pipe(Effect.scoped, Effect.provide(layer))
  })

  it.effect("says at its end what it has not said yet", () => {
    const { layer, lines } = collect()
    return Effect.gen(function* () {
      const log = yield* RefusalLog.make
      for (let index = 0; index < 5; index++) log.hasLine({ address: undefined, problem: "invalid_key" })
    }).pipe(
      Effect.scoped,
      Effect.andThen(Effect.sync(() => assert.match(lines.join("\n"), /"count":1,.*"addresses":"unknown 1"/))),
      Effect.provide(layer)
    )
  })
})
