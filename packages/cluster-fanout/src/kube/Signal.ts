/**
 * Lets fibers wait until a condition on mutable state holds.
 */
import { Effect } from "effect"

export class Signal {
  readonly #waiting = new Set<() => void>()
  readonly #listeners = new Set<() => void>()

  /** Wakes the waiters whose condition now holds. Call this after every change of the state. */
  notify(): void {
    for (const listener of this.#listeners) listener()
    for (const check of [...this.#waiting]) check()
  }

  /** Calls a function at each `notify`, before waiters are woken, for the lifetime of the signal. */
  listen(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** Waits until the condition holds. **Limits** no polling: the condition is checked now and at each `notify`. */
  until(condition: () => boolean): Effect.Effect<void> {
    return Effect.callback<void>((resume) => {
      const check = () => {
        if (!condition()) return
        this.#waiting.delete(check)
        resume(Effect.void)
      }
      this.#waiting.add(check)
      check()
      return Effect.sync(() => {
        this.#waiting.delete(check)
      })
    })
  }
}
