/**
 * The progress of a long command, on a terminal.
 */
import { Clock, Effect, Stdio, Stream } from "effect"

const INTERVAL_MS = 200
const CLEARED = "\r\u001b[K"

/** A progress line on standard error. **Shape** prints nothing if standard error is not a terminal. */
export interface CostProgress {
  /** Replaces the line, at most five times a second. */
  readonly show: (line: () => string) => Effect.Effect<void>
  /** Removes the line, before other output. */
  readonly clear: Effect.Effect<void>
}

/** Makes a progress line. */
export const make = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  if (!(yield* stdio.stderrIsTerminal)) {
    const none: CostProgress = { show: () => Effect.void, clear: Effect.void }
    return none
  }
  // A closed terminal needs no progress.
  const write = (text: string) => Effect.ignore(Stream.run(Stream.make(text), stdio.stderr()))
  let shownMs = Number.NEGATIVE_INFINITY
  const progress: CostProgress = {
    show: (line) =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
        if (nowMs - shownMs < INTERVAL_MS) return Effect.void
        shownMs = nowMs
        return write(`${CLEARED}${line()}`)
      }),
    clear: Effect.suspend(() => (Number.isFinite(shownMs) ? write(CLEARED) : Effect.void))
  }
  return progress
})
