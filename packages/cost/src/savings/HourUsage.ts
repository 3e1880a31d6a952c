/**
 * The container usage of a cluster in one hour, from which recommendations are computed.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Series } from "../hour/Series.ts"

/**
 * Usage of one container of one replica, over the part of the hour for which it is known.
 *
 * **Shape** `replica` identifies the replica across hours: the pod's UID. `cpuMillis` are means over equal parts of
 * `coveredSeconds`, usually one a minute. A request of 0 means none. Init containers have no row; sidecars do. If
 * a container was OOM-killed and its usage is unknown, `coveredSeconds` and `memoryPeakBytes` are 0 and `cpuMillis` is empty.
 *
 * **Units** millicores; bytes. `memoryPeakBytes` is the maximum of the working set.
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
  /** The container was OOM-killed within the hour. */
  readonly isOomKilled: boolean
}

/**
 * The usage of one cluster in one hour.
 *
 * **Shape** `startMs` is a whole UTC hour. A container without known usage and without an OOM kill has no row, which differs
 * from a usage of 0. The order of rows does not matter.
 */
export interface HourUsage {
  readonly cluster: ClusterName
  readonly startMs: number
  readonly containers: ReadonlyArray<ContainerUsage>
}
