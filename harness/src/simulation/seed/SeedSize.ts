/** How large a seeded cluster is. */

/**
 * A cluster by numbers; what is left out follows from the rest.
 *
 * **Shape** whole numbers from 1. `pods` is met exactly, unless there are more workloads than pods: then it is raised to their number. `nodes`
 * is raised to what the pods request.
 */
export interface SeedCounts {
  readonly pods?: number
  readonly workloads?: number
  readonly nodes?: number
}

/**
 * `tiny`: 3 workloads on 2 nodes. `small`: 13 or 14 on 4. `medium`: about 50 on 12. `large`: about 100 on 30. Or by
 * numbers.
 */
export type SeedSize = "tiny" | "small" | "medium" | "large" | SeedCounts

/** What a named size means. */
export interface NamedSize {
  readonly nodes: number
  /** How many of the nodes have GPUs. */
  readonly gpuNodes: number
  readonly stages: readonly [string, ...ReadonlyArray<string>]
  /** Fewest and most of the workloads that not every cluster has. */
  readonly optional: readonly [number, number]
}

export const NAMED: Readonly<Record<Extract<SeedSize, string>, NamedSize>> = {
  tiny: { nodes: 2, gpuNodes: 0, stages: ["production"], optional: [0, 0] },
  small: { nodes: 4, gpuNodes: 0, stages: ["production"], optional: [2, 3] },
  medium: { nodes: 12, gpuNodes: 1, stages: ["production", "staging", "test"], optional: [5, 7] },
  large: {
    nodes: 30,
    gpuNodes: 2,
    stages: ["production", "staging", "test", "demo", "load", "preview"],
    optional: [6, 7]
  }
}

const PODS_PER_WORKLOAD = 20
const FEWEST_WORKLOADS = 3

/** Numbers that fit each other. */
export const complete = ({ nodes, pods, workloads }: SeedCounts) => {
  const wanted = workloads ?? Math.ceil((pods ?? 0) / PODS_PER_WORKLOAD)
  const count = Math.max(1, Math.floor(workloads === undefined ? Math.max(FEWEST_WORKLOADS, wanted) : wanted))
  return {
    workloads: count,
    pods: Math.max(count, Math.floor(pods ?? count * 4)),
    nodes: Math.max(1, Math.floor(nodes ?? 1))
  }
}
