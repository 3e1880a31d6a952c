/**
 * A claim about speed or memory: the measured figure, the figure of a peer (another program that does the same work),
 * and the goal.
 */

export type Unit = "ms" | "s" | "MB" | "bytes" | "/s" | "count"

/** A measured value, usually the median of several runs. */
export interface Figure {
  readonly value: number
  readonly unit: Unit
}

/**
 * The goal of a claim.
 *
 * **Shape** `ratio` and `ratioAtLeast` bound ours divided by the peer's figure. `absolute` bounds ours in its own unit.
 */
export type Goal =
  | { readonly _tag: "ratio"; readonly atMost: number }
  | { readonly _tag: "ratioAtLeast"; readonly atLeast: number }
  | { readonly _tag: "absolute"; readonly atMost: number }

export interface Claim {
  /** The claim in a few words. */
  readonly claim: string
  readonly ours: Figure
  /** The figure of the peer in the same run. */
  readonly peer?: Figure & { readonly name: string }
  readonly goal: Goal
  /** Context for the reader: sizes, repetitions and secondary figures. */
  readonly note?: string
}

/** Returns ours divided by the peer's figure, or `undefined` without a peer. */
export const ratio = ({ ours, peer }: Claim): number | undefined =>
  peer === undefined || peer.value === 0 ? undefined : ours.value / peer.value

/** Returns true if the goal is met. A ratio goal without a ratio is missed. */
export const isMet = (claim: Claim): boolean => {
  const { goal } = claim
  if (goal._tag === "absolute") return claim.ours.value <= goal.atMost
  const judged = ratio(claim)
  if (judged === undefined) return false
  return goal._tag === "ratio" ? judged <= goal.atMost : judged >= goal.atLeast
}
