/**
 * Folds the log lines of refused requests, so that whoever is refused often does not fill the log.
 */
import { Effect, Metric } from "effect"

/** Lines of refusals within a window, the one that folds the others included: no second touches more than two windows. */
const LINES = 5
const WINDOW = "1 second"
/** Different addresses and problems that one window remembers, and of them those that its line names. */
const REMEMBERED = 1_000
const NAMED = 5

const foldedLines = Metric.counter("quarterdeck_folded_log_lines_total", {
  description: "Log lines of refused requests that were folded into others",
  incremental: true
})

/** A refused request. */
export interface Refused {
  readonly address: string | undefined
  readonly problem: string
}

export interface RefusalLog {
  /** Tells whether a refusal has a line of its own; else it is counted for the next line that folds. */
  readonly hasLine: (refused: Refused) => boolean
}

/**
 * Makes the log for the life of the scope.
 *
 * **Limits** at most 10 lines in any second: four of single refusals a window, and one that says how many more there were, for
 * which problems and from which addresses. A window remembers 1,000 of either.
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

const count = (counts: Map<string, number>, name: string): void => {
  const known = counts.get(name)
  if (known !== undefined || counts.size < REMEMBERED) counts.set(name, (known ?? 0) + 1)
}

/**
 * Lists the most frequent names with their counts, and how many more there are.
 *
 * **Example** `198.51.100.7 812, 203.0.113.9 3 and 2 more`
 */
const mostOf = (counts: ReadonlyMap<string, number>): string => {
  const sorted = [...counts].toSorted(([, one], [, other]) => other - one)
  const named = sorted.slice(0, NAMED).map(([name, times]) => `${name} ${times}`)
  const others = sorted.length - named.length
  return `${named.join(", ")}${others === 0 ? "" : ` and ${others === REMEMBERED - NAMED ? "at least " : ""}${others} more`}`
}
