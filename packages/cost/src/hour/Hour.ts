/**
 * One whole hour of one cluster, closed once and never in part.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Columns } from "./Measure.ts"
import type { Series } from "./Series.ts"

/**
 * What ran on machines of one price class, as far as a changed price has to know it.
 *
 * **Shape** `series` is the place in the hour's series; `rate` the place in the hour's `rates`.
 */
export interface RateShare {
  readonly series: number
  readonly rate: number
  readonly cpuAllocatedMilliSeconds: number
  readonly memoryAllocatedKibSeconds: number
  readonly gpuMilliSeconds: number
}

/**
 * What one series' volumes of one storage class had.
 *
 * **Shape** `series` is the place in the hour's series. **Units** KiB times seconds.
 */
export interface StorageShare {
  readonly series: number
  readonly storageClass: string
  readonly kibSeconds: number
}

/**
 * What decides the price of a machine.
 *
 * Empty where the node does not say; `capacity` as the node's labels tell.
 */
export interface RateClass {
  readonly provider: string
  readonly region: string
  readonly instanceType: string
  readonly capacity: "spot" | "onDemand"
  readonly gpuModel: string
}

/**
 * An hour as the sampler closes it.
 *
 * **Shape** `startMs` is a whole UTC hour; columns have one place for each of `series`, which are distinct; `shares` lie
 * only where one series ran in several price classes, otherwise `rateOf` tells its one class, or -1 where it has none.
 * `knownSeconds` is how much of the hour the cluster was seen at all. `seen` tells when, beginnings and ends in turn, in
 * seconds since the hour began; absent where it was seen whole, and in hours that were closed before this was kept.
 *
 * Costs follow from the quantities, by `HourCosts.reprice`, which fills their columns when the hour is closed as it does when
 * prices change. For that:
 * - an idle series has as allocated CPU, memory and GPU what its node has less what was allocated on it, below 0 too, as
 *   `existedSeconds` how long the node was seen, and its node's class;
 * - the shares of a series add up to its columns;
 * - the series of the control plane has as `existedSeconds` how long the cluster was seen, and no class;
 * - the class that most machines have stands first: its provider and region are those of volumes, traffic, load balancers
 *   and the control plane;
 * - `storage` tells the class of volumes that have one; what is left of `storageKibSeconds` has none.
 */
export interface Hour {
  readonly cluster: ClusterName
  readonly startMs: number
  readonly knownSeconds: number
  readonly series: ReadonlyArray<Series>
  readonly columns: Columns
  readonly rates: ReadonlyArray<RateClass>
  readonly rateOf: Int32Array
  readonly shares: ReadonlyArray<RateShare>
  readonly storage?: ReadonlyArray<StorageShare>
  readonly seen?: ReadonlyArray<number>
}
