/** What the start of a fleet takes of a test's time limit, which vitest counts to the test that waits for it. */
import { Console, Duration, Effect } from "effect"
import type { TestContext } from "vitest"
import { HarnessError, StartOutlastsTest } from "../machine/HarnessError.ts"
import type { HeldFleet } from "./TestFleet.ts"

/** How long before vitest ends a test its fleet's start is given up, so that the error says why, also on a busy machine. */
const AHEAD_MS = 250
/** Of the limit; a start that takes less has not failed the test. */
const NOTEWORTHY = 0.25

/** A fleet, and how long a test waited for it. */
export interface Waited {
  readonly held: HeldFleet
  readonly tookMs: number
}

/** Waits for a fleet as long as the test has time. **Errors** `StartOutlastsTest`. */
export const within = (limitMs: number, start: () => Promise<HeldFleet>): Promise<Waited> => {
  const started = Effect.tryPromise({ try: start, catch: (cause) => cause })
  const isLimited = limitMs > 0 && Number.isFinite(limitMs)
  const bounded = isLimited
    ? Effect.timeoutOrElse(started, {
        duration: Math.max(limitMs - AHEAD_MS, limitMs / 2),
        orElse: () => Effect.fail(new HarnessError({ reason: new StartOutlastsTest({ limitMs }) }))
      })
    : started
  return Effect.runPromise(
    Effect.map(Effect.timed(bounded), ([took, held]) => ({ held, tookMs: Math.round(Duration.toMillis(took)) }))
  )
}

/** Prints what the start took of the time of a test that failed, if that was much of it. */
export const show = Effect.fnUntraced(function* (
  { result, timeout }: Pick<TestContext["task"], "result" | "timeout">,
  tookMs: number
): Effect.fn.Return<void> {
  if (result?.state !== "fail" || timeout <= 0 || tookMs < timeout * NOTEWORTHY) return
  yield* Console.error(`the start of the fleet took ${tookMs} ms of the test's ${timeout} ms`)
})
