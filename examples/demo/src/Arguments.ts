/**
 * What the demo is told on its command line.
 */
import { Result, Schema } from "effect"
import { parseArgs } from "node:util"

/** A TCP port as text. **Shape** 0 takes any free one. */
export const Port = Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 65_535 }))

export interface Arguments {
  /** Whether nothing is done but to say what can be. */
  readonly help: boolean
  readonly once: boolean
  /** Absent: the environment's, else the default. */
  readonly port?: number
}

/** Reads the words; the failure says which one is wrong. */
export const argumentsOf = (words: ReadonlyArray<string>): Result.Result<Arguments, string> =>
  Result.gen(function* () {
    const { help, once, port } = yield* Result.try({
      try: () =>
        parseArgs({
          args: words.filter((word) => word !== "--"),
          options: {
            help: { type: "boolean", short: "h", default: false },
            once: { type: "boolean", default: false },
            port: { type: "string" }
          }
        }).values,
      catch: (cause) => (cause instanceof Error ? (cause.message.split(". ")[0] ?? "") : String(cause))
    })
    if (port === undefined) return { help, once }
    const number = yield* Schema.decodeUnknownResult(Port)(port).pipe(
      Result.mapError(() => "--port must be a whole number from 0 to 65535")
    )
    return { help, once, port: number }
  })
