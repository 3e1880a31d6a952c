/**
 * Writes log lines together, beside what logs them: a write for each line would cost a request more than its answer does.
 */
import { Console, Context, Effect, Logger, LogLevel } from "effect"

/** How long a line waits for others. */
const JOINED_WITHIN = "20 millis"
/** So many are written at once; the next one waits for them. */
const MAX_JOINED = 1_000

/**
 * Makes a logger that writes to the console's standard error what was logged within 20 ms, in order.
 *
 * **Shape** a warning and what is worse is written at once, with what came before it; so is everything once the scope has
 * closed. Lines that still wait when the process exits are written then.
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
