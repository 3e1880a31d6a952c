/**
 * How far a long command is, on a terminal.
 */
import { Clock, Effect, Stdio, Stream } from "effect"

const INTERVAL_MS = 200
const CLEARED = "\r\u001b[K"

/** Tells how far it is. **Shape** nothing where standard error is no terminal. */
export interface CostProgress {
  /** Shows a line in the place of the one before, a few times a second at most. */
  readonly show: (line: () => string) => Effect.Effect<void>
  /** Takes the line away, before something else is said. */
  readonly clear: Effect.Effect<void>
}

/**
 * Makes a line that changes.
 */
export const make = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  if (!(yield* stdio.stderrIsTerminal)) {
    const none: CostProgress = { show: () => Effect.void, clear: Effect.void }
    return none
  }
  // Whoever closes the terminal has no need of it any more.
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
