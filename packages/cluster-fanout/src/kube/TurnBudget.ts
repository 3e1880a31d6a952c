/** Leaves room in each turn of the event loop for everything but the taking in of what clusters send. */
import { Clock, Context, Effect, Semaphore } from "effect"

export interface TurnBudget {
  /**
   * Repeats a step until it gives `false`, and goes on in a later turn whenever the budget of this one is spent.
   *
   * **Limits** a step is never cut: it should take a fraction of the budget. Those who wait go on one a turn, the one that
   * waited longest first. On a clock that stands still nothing is ever spent.
   */
  readonly repeat: (step: () => boolean) => Effect.Effect<void>
  /** Maps items one by one, as `repeat` does its steps. */
  readonly map: <A, B>(items: ReadonlyArray<A>, f: (item: A) => B) => Effect.Effect<ReadonlyArray<B>>
}

const NANOS = 1_000_000n

/** Makes a budget, which all who work in one process must share. **Units** milliseconds. */
export const make = (turnMs: number): TurnBudget => {
  const whole = BigInt(turnMs) * NANOS
  let left = whole
  /** Whoever gives way holds it until it worked again: so nobody else begins a turn of its own behind it. */
  const next = Semaphore.makeUnsafe(1)

  /** Gives whether the last step was done. */
  const work = (clock: Clock.Clock, step: () => boolean): boolean => {
    let before = clock.monotonicTimeNanosUnsafe()
    while (left > 0n) {
      const goesOn = step()
      const after = clock.monotonicTimeNanosUnsafe()
      left -= after - before
      before = after
      if (!goesOn) return true
    }
    return false
  }

  const giveWay = Effect.suspend(() =>
    left > 0n
      ? Effect.void
      : Effect.map(Effect.yieldNow, () => {
          left = whole
        })
  )

  const repeat: TurnBudget["repeat"] = Effect.fnUntraced(function* (step) {
    const clock = yield* Clock.Clock
    let isDone = work(clock, step)
    while (!isDone) isDone = yield* next.withPermit(Effect.map(giveWay, () => work(clock, step)))
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
 * The budget that all clusters of the process share: what a collection of garbage, or others on a busy processor, add to
 * it is longer. By 4 ms whoami waited half as long again while 20,000 pods came in, which were there no sooner.
 */
export const TurnBudget = Context.Reference<TurnBudget>("@quarterdeck/cluster-fanout/TurnBudget", {
  defaultValue: () => make(2)
})
