/**
 * What a workload would have cost less, or more, if its replicas had requested what they are recommended.
 */

/** One resource of a row. **Units** billionths of the currency, and a resource unit times seconds. */
export interface Spent {
  readonly costNanos: number
  readonly allocated: number
  readonly requested: number
}

/**
 * Returns what a window would have cost less with the recommended request; negative where it would have cost more.
 *
 * **Shape** (requested - recommended) at the window's mean price of the resource. Usage above the request was allocated
 * and paid for, and a smaller request does not save it. The result is never above what the resource cost. It is exact
 * where usage stayed at or under the recommendation, and at least what a rerun would save elsewhere.
 *
 * **Units** billionths, whole; `recommended` is that of all replicas, in the unit of `requested`.
 *
 * **Example**
 *
 * ```ts
 * // Two cores requested for an hour cost 60 millionths, half a core would do: 45 millionths.
 * ofResource({ costNanos: 60_000, allocated: 7_200_000, requested: 7_200_000 }, 1_800_000) // 45_000
 * // Of the same two cores 1.5 were used beyond a request of half a core: nothing is saved.
 * ofResource({ costNanos: 60_000, allocated: 7_200_000, requested: 1_800_000 }, 1_800_000) // 0
 * ```
 */
export const ofResource = ({ allocated, costNanos, requested }: Spent, recommended: number): number =>
  costNanos > 0 && allocated > 0
    ? Math.min(costNanos, Math.round(costNanos * ((requested - recommended) / allocated)))
    : 0
