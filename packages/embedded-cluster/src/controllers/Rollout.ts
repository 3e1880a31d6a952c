/**
 * The arithmetic of rolling updates: how far a workload may go beyond and below what is wanted, and who gets how much.
 *
 * **Source** Kubernetes, `pkg/controller/deployment/util/deployment_util.go`.
 */
import type { Json } from "../core/Json.ts"

/** How far a rollout may go. **Shape** numbers of pods. */
export interface Fence {
  readonly surge: number
  readonly unavailable: number
}

/** Resolves a number or a percentage of a total. **Shape** what is neither counts as 0. */
export const resolve = (value: Json | undefined, total: number, round: "up" | "down"): number => {
  if (typeof value === "number") return value
  const percent = typeof value === "string" ? /^([0-9]+)%$/.exec(value)?.[1] : undefined
  if (percent === undefined) return 0
  const exact = (Number(percent) * total) / 100
  return round === "up" ? Math.ceil(exact) : Math.floor(exact)
}

/** Surge rounds up and unavailability down; where both come to nothing, one pod may be missing, or nothing would move. */
export const fence = (maxSurge: Json | undefined, maxUnavailable: Json | undefined, wanted: number): Fence => {
  const surge = resolve(maxSurge, wanted, "up")
  const unavailable = resolve(maxUnavailable, wanted, "down")
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable }
}

/** One generation of pods while sizes are shared out. **Shape** `maxBefore` is the limit that its size was made under. */
export interface Share {
  readonly name: string
  readonly replicas: number
  readonly createdMs: number
  readonly maxBefore: number
}

/**
 * Shares a change of the wanted number among generations in proportion to their sizes.
 *
 * **Shape** the sizes add up to `wanted` and the surge, to 0 where nothing is wanted; leftovers go to the largest.
 */
export const proportional = (
  shares: ReadonlyArray<Share>,
  wanted: number,
  surge: number
): ReadonlyMap<string, number> => {
  const before = shares.reduce((total, { replicas }) => total + replicas, 0)
  const toAdd = (wanted > 0 ? wanted + surge : 0) - before
  const younger = (left: Share, right: Share) => right.createdMs - left.createdMs
  const ordered = shares.toSorted(
    (left, right) => right.replicas - left.replicas || (toAdd > 0 ? younger(left, right) : -younger(left, right))
  )
  const sizes = new Map<string, number>()
  let added = 0
  for (const share of ordered) {
    const part = partOf(share, wanted, surge, toAdd, added)
    sizes.set(share.name, share.replicas + part)
    added += part
  }
  const [first] = ordered
  if (first !== undefined) sizes.set(first.name, Math.max(0, (sizes.get(first.name) ?? 0) + toAdd - added))
  return sizes
}

const partOf = (share: Share, wanted: number, surge: number, toAdd: number, added: number): number => {
  if (share.replicas === 0 || toAdd === 0 || toAdd === added) return 0
  const fraction =
    wanted === 0
      ? -share.replicas
      : share.maxBefore === 0
        ? 0
        : Math.round((share.replicas * (wanted + surge)) / share.maxBefore) - share.replicas
  return toAdd > 0 ? Math.min(fraction, toAdd - added) : Math.max(fraction, toAdd - added)
}
