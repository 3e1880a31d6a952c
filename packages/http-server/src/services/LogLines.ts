/**
 * Writes log lines in batches, because one write per line would take longer than answering a request.
 */
import { Console, Context, Effect, Logger, LogLevel } from "effect"

/** Maximum delay of a line. */
const JOINED_WITHIN = "20 millis"
/** Maximum lines per batch. A full batch is written at once. */
const MAX_JOINED = 1_000

/**
 * Makes a logger that writes the lines of 20 ms together to standard error, in order.
 *
 * **Shape** a warning or error is written at once, together with the lines before it. After the scope has closed, every
 * line is written at once. When the process exits, the remaining lines are written.
 */
export const make = Effect.fnUntraced(function* (format: Logger.Logger<unknown, string>) {
  const services = yield* Effect.context<never>()
  let lines: Array<string> = []
  let console: Console.Console | undefined
  let isOpen = true
  let isDue = false

  const flush = (): void => {
    if (lines.length === 0) return
    const joined = lines.join("\n")
    lines = []
    console?.error(joined)
  }
  const flushSoon = Effect.andThen(
    Effect.sleep(JOINED_WITHIN),
    Effect.sync(() => {
      isDue = false
      flush()
    })
  )
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("exit", flush)),
    () =>
      Effect.sync(() => {
        isOpen = false
        flush()
        process.off("exit", flush)
      })
  )

  return Logger.make<unknown, void>((options) => {
    console = Context.get(options.fiber.context, Console.Console)
    lines.push(format.log(options))
    const isUrgent = LogLevel.isGreaterThanOrEqualTo(options.logLevel, "Warn")
    if (!isOpen || isUrgent || lines.length >= MAX_JOINED) return flush()
    if (isDue) return
    isDue = true
    Effect.runForkWith(services)(flushSoon)
  })
})
