/**
 * Lets fibers wait until a condition on mutable state holds.
 */
import { Effect } from "effect"

export class Signal {
  readonly #waiting = new Set<() => void>()
  readonly #listeners = new Set<() => void>()

  /** Wakes those whose condition holds now; call it after every change of the state. */
  notify(): void {
    for (const listener of this.#listeners) listener()
    for (const check of [...this.#waiting]) check()
  }

  /** Calls a function at each `notify`, before those who wait are woken, for as long as the signal lives. */
  listen(listener: () => void): void {
    this.#listeners.add(listener)
  }

  /** Waits until the condition holds. **Limits** no poll: the condition is checked now and at each `notify`. */
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
