/**
 * The order of API versions: releases before betas before alphas, the newest first, and anything else behind them.
 *
 * **Source** Kubernetes, `k8s.io/apimachinery/pkg/version`, `CompareKubeAwareVersionStrings`.
 */

const VERSION = /^v([0-9]+)(?:(alpha|beta)([0-9]+))?$/

const STAGES = { alpha: 0, beta: 1, release: 2 } as const

/** Ranks a version by its stage and its numbers; `undefined` for a name that is no version. */
const rank = (version: string): ReadonlyArray<number> | undefined => {
  const match = VERSION.exec(version)
  if (match === null) return undefined
  const stage = match[2] === "alpha" ? STAGES.alpha : match[2] === "beta" ? STAGES.beta : STAGES.release
  return [stage, Number(match[1]), Number(match[3] ?? 0)]
}

/** Compares two versions; the greater one is preferred. */
export const compareVersions = (left: string, right: string): number => {
  const [one, other] = [rank(left), rank(right)]
  if (one === undefined && other === undefined) return left === right ? 0 : left < right ? 1 : -1
  if (one === undefined) return -1
  if (other === undefined) return 1
  for (const [index, value] of one.entries()) {
    const difference = value - (other[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
