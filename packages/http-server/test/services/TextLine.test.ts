import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Logger, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as TextLine from "../../src/services/TextLine.ts"

/** The lines that an effect logs, in our format and in Effect's own. */
const linesOf = Effect.fnUntraced(function* (effect: Effect.Effect<void>) {
  const ours: Array<string> = []
  const theirs: Array<string> = []
  const loggers = [
    Logger.map(TextLine.format, (line) => ours.push(line)),
    Logger.map(Logger.formatLogFmt, (line) => theirs.push(line))
  ]
  yield* Effect.provide(effect, Logger.layer(loggers))
  return { ours, theirs }
})

class Hidden {
  toJSON() {
    return "hidden"
  }
}

/** Values that are not printed as they are. */
const ODD = {
  bigint: 1n,
  date: new Date(0),
  error: new Error("told"),
  hidden: new Hidden(),
  infinite: Number.POSITIVE_INFINITY,
  lone: "\ud800",
  nothing: undefined,
  redacted: Redacted.make("raw-secret"),
  symbol: Symbol("s"),
  void: () => undefined
}
const Value = Schema.Union([
  Schema.Struct({ quoted: Schema.Literals(["a b", "a=b", 'a"b', "a\nb", "", "é", "a\u2028b", "\ud800"]) }),
  Schema.Struct({ plain: Schema.Union([Schema.String, Schema.Number, Schema.Boolean, Schema.Null]) }),
  Schema.Struct({ nested: Schema.Array(Schema.String) }),
  Schema.Struct({
    odd: Schema.Literals([
      "bigint",
      "date",
      "error",
      "hidden",
      "infinite",
      "lone",
      "nothing",
      "redacted",
      "symbol",
      "void"
    ])
  })
])
const valueOf = (value: typeof Value.Type): unknown => {
  if ("plain" in value) return value.plain
  if ("quoted" in value) return value.quoted
  return "nested" in value ? value : ODD[value.odd]
}
const Name = Schema.Union([Schema.String, Schema.Literals(["requestId", "a b", "a=b", 'a"b', "__proto__", "1"])])
const Logged = Schema.Struct({
  messages: Schema.Array(Value).check(Schema.isMaxLength(3)),
  annotations: Schema.Array(Schema.Tuple([Name, Value])).check(Schema.isMaxLength(6)),
  span: Schema.Union([Schema.String, Schema.Undefined]),
  level: Schema.Literals(["Info", "Warn", "Error"]),
  passedMs: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 }))
})

describe("log lines as text", () => {
  it.effect.prop("are Effect's own, byte for byte", [Logged], ([{ annotations, level, messages, passedMs, span }]) =>
    Effect.gen(function* () {
      yield* TestClock.adjust(passedMs)
      const log = Effect.annotateLogs(
        Effect.logWithLevel(level)(...messages.map(valueOf)),
        Object.fromEntries(annotations.map(([name, value]) => [name, valueOf(value)]))
      )
      const { ours, theirs } = yield* linesOf(span === undefined ? log : Effect.withLogSpan(log, span))
      assert.lengthOf(ours, 1)
      assert.deepStrictEqual(ours, theirs)
    })
  )

  it.effect("contain causes, and hide redacted values", () =>
    Effect.gen(function* () {
      const { ours, theirs } = yield* linesOf(
        Effect.logError("failed", Cause.fail(new Error("of the disk"))).pipe(
          Effect.andThen(Effect.annotateLogs(Effect.logInfo("key"), { key: Redacted.make("raw-secret") }))
        )
      )
      assert.deepStrictEqual(ours, theirs)
      assert.include(ours[0], "of the disk")
      assert.notInclude(ours[1], "raw-secret")
    })
  )
})
