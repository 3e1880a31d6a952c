/**
 * Counts the changes of what the clusters tell, so that an answer that was made can be told from one that still holds.
 */
import { Context } from "effect"

export class DataEpoch {
  #number = 0

  /** The number of the present epoch. **Shape** the same number at two moments: nothing was told in between. */
  get number(): number {
    return this.#number
  }

  /**
   * Begins the next epoch: what was answered before may not be answered again.
   *
   * **Shape** for each change of rows, of how a kind or a cluster stands, and of which clusters there are. What changes by
   * time alone begins none: ages, and the silence that makes rows stale.
   *
   * **Limits** constant time; once too often costs an answer, once too seldom shows an old one.
   */
  readonly raise = (): void => {
    this.#number++
  }
}

/** The epoch that caches and breakers raise: one of the process, unless a program with several services gives each its own. */
export const CurrentDataEpoch = Context.Reference<DataEpoch>("@quarterdeck/cluster-fanout/DataEpoch", {
  defaultValue: () => new DataEpoch()
})
