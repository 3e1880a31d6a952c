/**
 * Counts changes of cluster data, so that cached answers can be validated.
 */
import { Context } from "effect"

export class DataEpoch {
  #number = 0

  /** The number of changes so far. **Shape** an equal number at two moments means that nothing changed in between. */
  get number(): number {
    return this.#number
  }

  /**
   * Counts a change, which invalidates earlier answers.
   *
   * **Shape** call this for each change of rows, of the state of a kind or a cluster, and of the set of clusters. Ages
   * and staleness, which change with time alone, are not counted.
   *
   * **Limits** constant time. After a superfluous call, valid answers are computed again. After a missing call, clients
   * receive outdated answers.
   */
  readonly raise = (): void => {
    this.#number++
  }
}

/**
 * The counter that caches and breakers raise. The process shares one, unless a program with several services provides
 * one for each.
 */
export const CurrentDataEpoch = Context.Reference<DataEpoch>("@quarterdeck/cluster-fanout/DataEpoch", {
  defaultValue: () => new DataEpoch()
})
