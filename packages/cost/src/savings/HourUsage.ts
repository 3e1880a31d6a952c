/**
 * What the containers of a cluster used in one hour: what recommendations are drawn from.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Series } from "../hour/Series.ts"

/**
 * What one container of one replica used in the part of the hour for which its usage is known.
 *
 * **Shape** `replica` tells the workload's replicas apart and stays the same from hour to hour: a pod's uid. `cpuMillis`
 * are means over equal parts of `coveredSeconds`, one a minute where each is known. Requests are 0 where there are none.
 * An init container that ends is none of these, a sidecar is. Of one that was killed before its usage was known,
 * `coveredSeconds` is 0, `cpuMillis` empty and `memoryPeakBytes` 0.
 *
 * **Units** thousandths of a core; bytes, `memoryPeakBytes` the most that was seen of the working set.
 */
export interface ContainerUsage {
  readonly workload: Pick<Series, "namespace" | "kind" | "name">
  readonly container: string
  readonly replica: string
  readonly coveredSeconds: number
  readonly cpuMillis: ArrayLike<number>
  readonly cpuRequestMillis: number
  readonly memoryPeakBytes: number
  readonly memoryRequestBytes: number
  /** Whether the hour saw it OOM-killed. */
  readonly isOomKilled: boolean
}

/**
 * One hour's usage of one cluster.
 *
 * **Shape** `startMs` is a whole UTC hour. A container whose usage is not known, and that was not killed for want of
 * memory, has no row: that is not the same as none used. The order of rows changes nothing.
 */
export interface HourUsage {
  readonly cluster: ClusterName
  readonly startMs: number
  readonly containers: ReadonlyArray<ContainerUsage>
}
