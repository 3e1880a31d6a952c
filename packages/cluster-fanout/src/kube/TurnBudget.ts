/** Limits the time that each turn of the event loop spends on processing data from clusters. */
import { Clock, Context, Effect, Semaphore } from "effect"

export interface TurnBudget {
  /**
   * Repeats a step until it returns `false`. Continues in a later turn whenever the budget of the current turn is used
   * up.
   *
   * **Limits** a step is never interrupted, so it should take a fraction of the budget. Waiting callers continue one
   * per turn, in order. If the clock stands still, the budget is never used up.
   */
  readonly repeat: (step: () => boolean) => Effect.Effect<void>
  /** Maps items one at a time, as `repeat` does its steps. */
  readonly map: <A, B>(items: ReadonlyArray<A>, f: (item: A) => B) => Effect.Effect<ReadonlyArray<B>>
}

const NANOS = 1_000_000n

/** Makes a budget. All work of one process must share it. **Units** milliseconds. */
export const make = (turnMs: number): TurnBudget => {
  const whole = BigInt(turnMs) * NANOS
  let left = whole
  /**
   * Held by the caller that waits for the next turn, until its work in that turn is done. Otherwise another caller
   * could renew the budget within the same turn.
   */
  const next = Semaphore.makeUnsafe(1)

  /** Runs steps within the budget. Returns whether the last step is done. */
  const work = (clock: Clock.Clock, step: () => boolean): boolean => {
    let before = clock.monotonicTimeNanosUnsafe()
    while (left > 0n) {
      const hasMore = step()
      const after = clock.monotonicTimeNanosUnsafe()
      left -= after - before
      before = after
      if (!hasMore) return true
    }
    return false
  }

  const awaitBudget = Effect.suspend(() =>
    left > 0n
      ? Effect.void
      : Effect.map(Effect.yieldNow, () => {
          left = whole
        })
  )

  const repeat: TurnBudget["repeat"] = Effect.fnUntraced(function* (step) {
    const clock = yield* Clock.Clock
    let isDone = work(clock, step)
    while (!isDone) isDone = yield* next.withPermit(Effect.map(awaitBudget, () => work(clock, step)))
  })

  const map = <A, B>(items: ReadonlyArray<A>, f: (item: A) => B): Effect.Effect<ReadonlyArray<B>> =>
    Effect.suspend(() => {
      const mapped: Array<B> = []
      const remaining = items.values()
      const step = () => {
        const { done, value } = remaining.next()
        if (done === true) return false
        mapped.push(f(value))
        return true
      }
      return Effect.as(repeat(step), mapped)
    })

  return { repeat, map }
}

/**
 * The budget shared by all clusters of the process. Two milliseconds are shorter than the pauses of garbage collection.
 * A larger budget slows down other requests noticeably without making the processing faster.
 */
export const TurnBudget = Context.Reference<TurnBudget>("@quarterdeck/cluster-fanout/TurnBudget", {
  defaultValue: () => make(2)
})
