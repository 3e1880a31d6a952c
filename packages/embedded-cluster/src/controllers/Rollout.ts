/**
 * Arithmetic of rolling updates: the limits of a rollout, and the distribution of pods among ReplicaSets.
 *
 * **Source** Kubernetes, `pkg/controller/deployment/util/deployment_util.go`.
 */
import type { Json } from "../core/Json.ts"

/** Limits of a rollout. **Units** pods. */
export interface RolloutLimits {
  readonly surge: number
  readonly unavailable: number
}

/** Resolves a number or a percentage of a total. **Shape** other values count as 0. */
export const resolve = (value: Json | undefined, total: number, round: "up" | "down"): number => {
  if (typeof value === "number") return value
  const percent = typeof value === "string" ? /^([0-9]+)%$/.exec(value)?.[1] : undefined
  if (percent === undefined) return 0
  const exact = (Number(percent) * total) / 100
  return round === "up" ? Math.ceil(exact) : Math.floor(exact)
}

/**
 * Resolves the limits of a rollout. Surge rounds up and unavailability down. If both are 0, one pod may be
 * unavailable, so that the rollout can proceed.
 */
export const limitsOf = (
  maxSurge: Json | undefined,
  maxUnavailable: Json | undefined,
  wanted: number
): RolloutLimits => {
  const surge = resolve(maxSurge, wanted, "up")
  const unavailable = resolve(maxUnavailable, wanted, "down")
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable }
}

/**
 * A ReplicaSet whose size is recomputed. **Shape** `maxBefore` is the Deployment's largest size when this size was
 * set.
 */
export interface Share {
  readonly name: string
  readonly replicas: number
  readonly createdMs: number
  readonly maxBefore: number
}

/**
 * Distributes a changed size among ReplicaSets in proportion to their sizes.
 *
 * **Shape** the sizes add up to `wanted` plus the surge, or to 0 if `wanted` is 0. The largest ReplicaSet gets the
 * remainder.
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
