/** Parses the demo's command line. */
import { Result, Schema } from "effect"
import { parseArgs } from "node:util"

/** A TCP port as text. **Shape** 0 chooses a free port. */
export const Port = Schema.FiniteFromString.check(Schema.isInt(), Schema.isBetween({ minimum: 0, maximum: 65_535 }))

export interface Arguments {
  /** Prints the usage and exits. */
  readonly help: boolean
  readonly once: boolean
  /** If absent, `QUARTERDECK_PORT` or the default applies. */
  readonly port?: number
}

/** Parses the arguments. A failure names the invalid one. */
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
