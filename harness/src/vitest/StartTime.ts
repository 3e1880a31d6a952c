/** Bounds the start of a fleet by the time limit of the test that waits for it. */
import { Console, Duration, Effect } from "effect"
import type { TestContext } from "vitest"
import { HarnessError, StartOutlastsTest } from "../machine/HarnessError.ts"
import type { HeldFleet } from "./TestFleet.ts"

/**
 * The wait ends this many milliseconds before the test's time limit, so that `StartOutlastsTest` comes before vitest's
 * own timeout, even on a busy machine.
 */
const AHEAD_MS = 250
/** Share of the time limit above which a failed test reports the start. */
const NOTEWORTHY = 0.25

/** A fleet and the time that a test waited for it. */
export interface Waited {
  readonly held: HeldFleet
  readonly tookMs: number
}

/** Waits for a fleet within the test's time limit. **Errors** `StartOutlastsTest`. */
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

/** Prints the time of the start if the test failed and the start took more than a quarter of the test's time limit. */
export const show = Effect.fnUntraced(function* (
  { result, timeout }: Pick<TestContext["task"], "result" | "timeout">,
  tookMs: number
): Effect.fn.Return<void> {
  if (result?.state !== "fail" || timeout <= 0 || tookMs < timeout * NOTEWORTHY) return
  yield* Console.error(`the start of the fleet took ${tookMs} ms of the test's ${timeout} ms`)
})
