/**
 * The size of a cluster in numbers. Absent numbers are derived from the others.
 *
 * **Shape** whole numbers from 1. The cluster has exactly `pods` pods, or one for each workload if there are more
 * workloads. It has `nodes` nodes, or more if the pods' requests need more.
 */
export interface SeedCounts {
  readonly pods?: number
  readonly workloads?: number
  readonly nodes?: number
}

/**
 * A named size, or numbers. `tiny`: 3 workloads on 2 nodes. `small`: 13 or 14 workloads on 4 nodes. `medium`: about 50
 * workloads on 12 nodes. `large`: about 100 workloads on 30 nodes.
 */
export type SeedSize = "tiny" | "small" | "medium" | "large" | SeedCounts

/** The numbers of a named size. */
export interface NamedSize {
  readonly nodes: number
  /** Number of nodes with GPUs. */
  readonly gpuNodes: number
  readonly stages: readonly [string, ...ReadonlyArray<string>]
  /** Minimum and maximum number of the optional workloads, which only some clusters have. */
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

/** Returns complete numbers that are consistent with each other. */
export const complete = ({ nodes, pods, workloads }: SeedCounts) => {
  const wanted = workloads ?? Math.ceil((pods ?? 0) / PODS_PER_WORKLOAD)
  const count = Math.max(1, Math.floor(workloads === undefined ? Math.max(FEWEST_WORKLOADS, wanted) : wanted))
  return {
    workloads: count,
    pods: Math.max(count, Math.floor(pods ?? count * 4)),
    nodes: Math.max(1, Math.floor(nodes ?? 1))
  }
}
