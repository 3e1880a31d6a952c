/**
 * The order of API versions: releases before betas before alphas, each newest first, other names last.
 *
 * **Source** Kubernetes, `k8s.io/apimachinery/pkg/version`, `CompareKubeAwareVersionStrings`.
 */

const VERSION = /^v([0-9]+)(?:(alpha|beta)([0-9]+))?$/

const STAGES = { alpha: 0, beta: 1, release: 2 } as const

/** Ranks a version by its stage and its numbers. Returns `undefined` for another name. */
const rank = (version: string): ReadonlyArray<number> | undefined => {
  const match = VERSION.exec(version)
  if (match === null) return undefined
  const stage = match[2] === "alpha" ? STAGES.alpha : match[2] === "beta" ? STAGES.beta : STAGES.release
  return [stage, Number(match[1]), Number(match[3] ?? 0)]
}

/** Compares two versions. The preferred one is greater. */
export const compareVersions = (left: string, right: string): number => {
  const [leftRank, rightRank] = [rank(left), rank(right)]
  if (leftRank === undefined && rightRank === undefined) return left === right ? 0 : left < right ? 1 : -1
  if (leftRank === undefined) return -1
  if (rightRank === undefined) return 1
  for (const [index, value] of leftRank.entries()) {
    const difference = value - (rightRank[index] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
