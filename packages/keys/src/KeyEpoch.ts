/**
 * A counter of key changes. A cached verdict is stale once the counter has moved.
 */
import { Context } from "effect"

export class KeyEpoch {
  #number = 0

  /** The current epoch. **Shape** if two reads return the same number, no key changed in this process between them. */
  get number(): number {
    return this.#number
  }

  /**
   * Starts the next epoch, which invalidates every cached verdict.
   *
   * **Shape** called before a revocation, update or rotation returns, and when the deploy-time keys change. An expiry starts
   * no epoch: a cached verdict must be stored with the expiry of its key.
   */
  readonly raise = (): void => {
    this.#number++
  }
}

/** The epoch that the key stores raise. Shared by the process, unless a program with several services provides one each. */
export const CurrentKeyEpoch = Context.Reference<KeyEpoch>("@quarterdeck/keys/KeyEpoch", {
  defaultValue: () => new KeyEpoch()
})
