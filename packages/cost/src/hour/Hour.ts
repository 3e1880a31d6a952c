/**
 * One whole hour of one cluster.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Columns } from "./Measure.ts"
import type { Series } from "./Series.ts"

/**
 * The quantities of one series on nodes of one price class, as needed for repricing.
 *
 * **Shape** `series` and `rate` are indexes into the hour's `series` and `rates`.
 */
export interface RateShare {
  readonly series: number
  readonly rate: number
  readonly cpuAllocatedMilliSeconds: number
  readonly memoryAllocatedKibSeconds: number
  readonly gpuMilliSeconds: number
}

/**
 * Storage of one series in one storage class.
 *
 * **Shape** `series` is an index into the hour's `series`.
 *
 * **Units** KiB-seconds.
 */
export interface StorageShare {
  readonly series: number
  readonly storageClass: string
  readonly kibSeconds: number
}

/** The properties of a node that determine its price. Empty if the node does not state them. */
export interface RateClass {
  readonly provider: string
  readonly region: string
  readonly instanceType: string
  readonly capacity: "spot" | "onDemand"
  readonly gpuModel: string
}

/**
 * A closed hour.
 *
 * **Shape** `startMs` is a whole UTC hour. Columns have one value per series, and series are distinct. `rateOf` is the
 * index of a series' price class, or -1. A series that ran on several classes has -1 and entries in `shares`.
 * `knownSeconds` is how long the cluster was observed. `seen` states when, as alternating starts and ends in seconds of
 * the hour. It is absent if the whole hour was observed, and in hours written by the first releases.
 *
 * `HourCosts.reprice` computes the cost columns from the quantities, on closing and on repricing. It requires that:
 * - an idle series has its node's capacity minus the allocation as allocated quantities, possibly negative. Its
 *   `existedSeconds` is how long the node was observed, and its class is the node's;
 * - the shares of a series add up to its columns;
 * - the series of the control plane has no class, and `existedSeconds` is how long the cluster was observed;
 * - the class with the most nodes comes first: its provider and region determine the prices of volumes, egress, load balancers
 *   and the control plane;
 * - `storage` lists volumes with a storage class; the rest of `storageKibSeconds` has none.
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
