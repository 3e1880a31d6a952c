/**
 * One claim about speed or memory: what was measured, against what, and the goal that decides.
 */

/** What a figure counts. */
export type Unit = "ms" | "s" | "MB" | "bytes" | "/s" | "count"

/** Medians of several runs, unless it was measured once. */
export interface Figure {
  readonly value: number
  readonly unit: Unit
}

/**
 * A bound that ours must keep.
 *
 * **Shape** `ratio` and `ratioAtLeast` are of ours divided by the peer's; `absolute` is in the unit of ours.
 */
export type Goal =
  | { readonly _tag: "ratio"; readonly atMost: number }
  | { readonly _tag: "ratioAtLeast"; readonly atLeast: number }
  | { readonly _tag: "absolute"; readonly atMost: number }

export interface Claim {
  /** What a user gets, in a few words. */
  readonly claim: string
  readonly ours: Figure
  /** What it was compared with in the same run. */
  readonly peer?: Figure & { readonly name: string }
  readonly goal: Goal
  /** What a reader should know beside the figures: sizes, how often, what was reported with it. */
  readonly note?: string
}

/** Ours divided by the peer's, undefined where there is no peer. */
export const ratio = ({ ours, peer }: Claim): number | undefined =>
  peer === undefined || peer.value === 0 ? undefined : ours.value / peer.value

/** Whether the goal is kept; a goal about a ratio that could not be taken is missed. */
export const isMet = (claim: Claim): boolean => {
  const { goal } = claim
  if (goal._tag === "absolute") return claim.ours.value <= goal.atMost
  const judged = ratio(claim)
  if (judged === undefined) return false
  return goal._tag === "ratio" ? judged <= goal.atMost : judged >= goal.atLeast
}
