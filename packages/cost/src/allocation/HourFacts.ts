/**
 * The observations of one cluster in one hour, from which its costs are computed.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Series } from "../hour/Series.ts"

/** A half-open time span. **Units** milliseconds since the epoch. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/**
 * A node, and the time it existed.
 *
 * **Shape** `gpuParts` counts MIG slices and time-shared GPUs by resource name; `gpus` counts whole GPUs.
 *
 * **Units** capacity in millicores, bytes and GPUs.
 */
export interface NodeFacts {
  readonly name: string
  readonly uid: string
  readonly labels: Readonly<Record<string, string>>
  readonly providerId: string
  readonly cpuMillis: number
  readonly memoryBytes: number
  readonly gpus: number
  readonly gpuParts?: Readonly<Record<string, number>>
  readonly spans: ReadonlyArray<Span>
}

/**
 * A container's usage in time slices.
 *
 * **Shape** every column has one value per slice. Slices ascend and do not overlap. Usage between slices is unknown,
 * not zero. `cpuAllocatedMillis` and `memoryAllocatedBytes` are means of max(request, usage), if the source has several
 * samples per slice. If these columns are absent, max(request, usage) is computed from the slice's mean usage.
 *
 * **Units** means over the slice: millicores, and bytes of working set. `memoryPeakBytes` is the maximum.
 */
export interface UsageSlices {
  readonly fromMs: ArrayLike<number>
  readonly toMs: ArrayLike<number>
  readonly cpuMillis: ArrayLike<number>
  readonly memoryBytes: ArrayLike<number>
  readonly memoryPeakBytes?: ArrayLike<number>
  readonly cpuAllocatedMillis?: ArrayLike<number>
  readonly memoryAllocatedBytes?: ArrayLike<number>
}

/**
 * A container of a pod.
 *
 * **Shape** `runs` are its run times, those before a restart included. The run of a running container ends at the last
 * observation. An `init` container ends before the main containers start; a `sidecar` is an init container that keeps running.
 * A container that was resized has one entry per size, with the runs at that size.
 *
 * **Units** requests in millicores, bytes and GPUs; 0 if there is none.
 */
export interface ContainerFacts {
  readonly name: string
  readonly role: "main" | "sidecar" | "init"
  readonly runs: ReadonlyArray<Span>
  readonly cpuRequestMillis: number
  readonly memoryRequestBytes: number
  readonly gpus: number
  readonly gpuParts?: Readonly<Record<string, number>>
  readonly isOomKilled: boolean
  readonly usage?: UsageSlices
}

/** A pod's egress, if the source knows it. **Units** KiB in this hour. */
export interface Egress {
  readonly zoneKib: number
  readonly regionKib: number
  readonly internetKib: number
}

/**
 * A pod that existed in the hour.
 *
 * **Shape** `workload` is the pod's topmost owner, or the pod itself. `node` is empty until the pod is bound. `claims` are the
 * names of the mounted claims.
 */
export interface PodFacts {
  readonly uid: string
  readonly namespace: string
  readonly name: string
  readonly node: string
  readonly workload: Series
  readonly containers: ReadonlyArray<ContainerFacts>
  readonly claims: ReadonlyArray<string>
  readonly egress?: Egress
}

/**
 * A volume, and the time it existed.
 *
 * **Shape** without a claim, `claim` and `namespace` are empty.
 *
 * **Units** requested bytes.
 */
export interface VolumeFacts {
  readonly namespace: string
  readonly claim: string
  readonly name: string
  readonly storageClass: string
  readonly bytes: number
  readonly spans: ReadonlyArray<Span>
}

/** A service with a provider's load balancer. **Shape** `pods` are the UIDs of the pods behind it. */
export interface LoadBalancerFacts {
  readonly namespace: string
  readonly name: string
  readonly spans: ReadonlyArray<Span>
  readonly pods: ReadonlyArray<string>
}

/**
 * One hour of one cluster, as observed.
 *
 * **Shape** `startMs` is a whole UTC hour. `seen` are the times in which the cluster was observed; nothing outside is charged
 * or covered. Times outside the hour are ignored. The order of lists does not matter.
 */
export interface HourFacts {
  readonly cluster: ClusterName
  readonly startMs: number
  readonly seen: ReadonlyArray<Span>
  readonly nodes: ReadonlyArray<NodeFacts>
  readonly pods: ReadonlyArray<PodFacts>
  readonly volumes: ReadonlyArray<VolumeFacts>
  readonly loadBalancers: ReadonlyArray<LoadBalancerFacts>
}
