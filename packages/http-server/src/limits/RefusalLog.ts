/**
 * Summarizes the log lines of refused requests, so that a flood of refusals does not fill the log.
 */
import { Context, Effect, Layer, Metric } from "effect"

/** Lines per window, including the summary line. Any second overlaps at most two windows. */
const LINES = 5
const WINDOW = "1 second"
/** Maximum distinct addresses, and problems, that a window counts. The summary line names the five most frequent of each. */
const REMEMBERED = 1_000
const NAMED = 5

const foldedLines = Metric.counter("quarterdeck_folded_log_lines_total", {
  description: "Log lines of refused requests that were folded into summary lines",
  incremental: true
})

/** A refused request. */
export interface Refused {
  readonly address: string | undefined
  readonly problem: string
}

export interface RefusalLog {
  /** Returns true if the refusal gets its own log line. Otherwise the next summary line counts the refusal. */
  readonly hasLine: (refused: Refused) => boolean
}

/**
 * Makes the log for the lifetime of the scope.
 *
 * **Limits** at most 10 lines in any second. A window writes four lines of single refusals and one summary line with the
 * number of further refusals, their problems and addresses. A window counts up to 1,000 distinct problems and addresses each.
 */
export const make = Effect.gen(function* () {
  let single = 0
  let folded = 0
  const addresses = new Map<string, number>()
  const problems = new Map<string, number>()

  const fold = Effect.suspend(() => {
    single = 0
    if (folded === 0) return Effect.void
    const facts = { count: folded, problems: mostOf(problems), addresses: mostOf(addresses) }
    const lines = folded
    folded = 0
    addresses.clear()
    problems.clear()
    return Effect.andThen(
      Metric.update(foldedLines, lines),
      Effect.logWarning("requests refused").pipe(Effect.annotateLogs(facts))
    )
  })
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(WINDOW), fold)))
  yield* Effect.addFinalizer(() => fold)

  const log: RefusalLog = {
    hasLine: ({ address, problem }) => {
      if (single < LINES - 1) {
        single++
        return true
      }
      folded++
      count(addresses, address ?? "unknown")
      count(problems, problem)
      return false
    }
  }
  return log
})

/** The log of the service, which all its requests share. */
export class RefusalLines extends Context.Service<RefusalLines, RefusalLog>()(
  "@quarterdeck/http-server/limits/RefusalLines"
) {
  static readonly layer = Layer.effect(RefusalLines, make)
}

const count = (counts: Map<string, number>, name: string): void => {
  const known = counts.get(name)
  if (known !== undefined || counts.size < REMEMBERED) counts.set(name, (known ?? 0) + 1)
}

/**
 * Prints the most frequent names with their counts, and the number of further names.
 *
 * **Example** `198.51.100.7 812, 203.0.113.9 3 and 2 more`
 */
const mostOf = (counts: ReadonlyMap<string, number>): string => {
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one)
  const named = sorted.slice(0, NAMED).map(([name, times]) => `${name} ${times}`)
  const others = sorted.length - named.length
  return `${named.join(", ")}${others === 0 ? "" : ` and ${others === REMEMBERED - NAMED ? "at least " : ""}${others} more`}`
}
