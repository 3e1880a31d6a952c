/**
 * A counter of changes of keys. A cached authentication result is stale once the counter has changed.
 */
import { Context } from "effect"

export class KeyEpoch {
  #number = 0

  /**
   * The value of the counter. **Shape** if two reads return the same number, no key changed in this process between
   * them.
   */
  get number(): number {
    return this.#number
  }

  /**
   * Increments the counter, which makes every cached authentication result stale.
   *
   * **Shape** called before a revocation, update or rotation returns, and when the deploy-time keys change. The expiry
   * of a key does not increment the counter: a cached result must be stored with the expiry of its key.
   */
  readonly raise = (): void => {
    this.#number++
  }
}

/**
 * The counter that the key stores increment when a key changes. Shared by the process, unless a program with several
 * services provides one each.
 */
export const CurrentKeyEpoch = Context.Reference<KeyEpoch>("@quarterdeck/keys/KeyEpoch", {
  defaultValue: () => new KeyEpoch()
})
