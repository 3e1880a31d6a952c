/**
 * Counts the changes of keys, so that a judgement that was made can be told from one that still holds.
 */
import { Context } from "effect"

export class KeyEpoch {
  #number = 0

  /** The number of the present epoch. **Shape** the same number at two moments: no key changed in this process in between. */
  get number(): number {
    return this.#number
  }

  /**
   * Begins the next epoch: no earlier judgement of any key holds any more.
   *
   * **Shape** before a call that revokes, narrows or rotates a key returns, and when other deploy-time keys are in force. That
   * a key expires begins none: whoever keeps a judgement keeps the instant with it.
   */
  readonly raise = (): void => {
    this.#number++
  }
}

/** The epoch that the stores of keys raise: one of the process, unless a program with several services gives each its own. */
export const CurrentKeyEpoch = Context.Reference<KeyEpoch>("@quarterdeck/keys/KeyEpoch", {
  defaultValue: () => new KeyEpoch()
})
