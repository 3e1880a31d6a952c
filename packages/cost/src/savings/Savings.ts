/**
 * Computes how much less, or more, a workload would have cost with the recommended requests.
 */

/** Cost and quantities of one resource of a row. **Units** billionths of the currency; resource units times seconds. */
export interface Spent {
  readonly costNanos: number
  readonly allocated: number
  readonly requested: number
}

/**
 * Returns the savings of a window with the recommended request. Negative if it would have cost more.
 *
 * **Shape** (requested - recommended) x the window's mean price of the resource. Usage above the request was allocated and
 * paid, and a smaller request does not save it. The result is at most the cost of the resource. It is exact if usage never
 * exceeded the recommendation, and otherwise a lower bound of the real savings.
 *
 * **Units** whole billionths. `recommended` covers all replicas, in the unit of `requested`.
 *
 * **Example**
 *
 * ```ts
 * // Two requested cores cost 60 millionths for an hour. Half a core is recommended: saves 45 millionths.
 * ofResource({ costNanos: 60_000, allocated: 7_200_000, requested: 7_200_000 }, 1_800_000) // 45_000
 * // Two cores were allocated, but only half a core requested, as recommended: saves nothing.
 * ofResource({ costNanos: 60_000, allocated: 7_200_000, requested: 1_800_000 }, 1_800_000) // 0
 * ```
 */
export const ofResource = ({ allocated, costNanos, requested }: Spent, recommended: number): number =>
  costNanos > 0 && allocated > 0
    ? Math.min(costNanos, Math.round(costNanos * ((requested - recommended) / allocated)))
    : 0
