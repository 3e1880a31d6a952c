/**
 * What the containers of a cluster used in one hour: what recommendations are drawn from.
 *
 * @since 0.1.0
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Hour } from "../hour/Hour.ts"
import { isWorkload, type Series } from "../hour/Series.ts"
import { KIB_BYTES } from "../hour/Units.ts"

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
  /** Whether the hour saw it killed for want of memory. */
  readonly isOomKilled: boolean
}

/**
 * One hour's usage of one cluster.
 *
 * **Shape** `startMs` is a whole UTC hour. A container whose usage is not known, and that was not killed for want of
 * memory, has no row: that is not the same as none used. The order of rows changes nothing.
 *
 * @since 0.1.0
 */
export interface HourUsage {
  readonly cluster: ClusterName
  readonly startMs: number
  readonly containers: ReadonlyArray<ContainerUsage>
}

/**
 * Draws usage from a closed hour, where nothing finer is known.
 *
 * **Shape** each series is one container of one replica, which used the mean of all; peaks within the hour are not in it,
 * nor whether any was killed.
 *
 * @since 0.1.0
 */
export const fromHour = ({ cluster, columns, series, startMs }: Hour): HourUsage => ({
  cluster,
  startMs,
  containers: series.flatMap((workload, place): ReadonlyArray<ContainerUsage> => {
    const coveredSeconds = columns.coveredSeconds[place] ?? 0
    const existedSeconds = columns.existedSeconds[place] ?? 0
    const replicaSeconds = columns.replicaSeconds[place] ?? 0
    if (!isWorkload(workload) || coveredSeconds <= 0 || existedSeconds <= 0 || replicaSeconds <= 0) return []
    const coveredReplicaSeconds = replicaSeconds * Math.min(1, coveredSeconds / existedSeconds)
    return [
      {
        workload,
        container: "",
        replica: workload.uid,
        coveredSeconds,
        cpuMillis: [(columns.cpuUsedMilliSeconds[place] ?? 0) / coveredReplicaSeconds],
        cpuRequestMillis: (columns.cpuRequestedMilliSeconds[place] ?? 0) / replicaSeconds,
        memoryPeakBytes: ((columns.memoryUsedKibSeconds[place] ?? 0) * KIB_BYTES) / coveredReplicaSeconds,
        memoryRequestBytes: ((columns.memoryRequestedKibSeconds[place] ?? 0) * KIB_BYTES) / replicaSeconds,
        isOomKilled: false
      }
    ]
  })
})
