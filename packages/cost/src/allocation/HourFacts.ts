/**
 * What was seen of one cluster in one hour: all that its costs are computed from.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import type { Series } from "../hour/Series.ts"

/** An interval of time, half-open. **Units** milliseconds since the epoch. */
export interface Span {
  readonly fromMs: number
  readonly toMs: number
}

/**
 * A node, for as long as it was there.
 *
 * **Shape** `gpuParts` are MIG slices and GPUs that are shared by time, by the name of the resource; `gpus` all others.
 *
 * **Units** of what it has in all (its capacity): thousandths of a core, bytes, GPUs.
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
 * What a container used, slice by slice.
 *
 * **Shape** one place a slice in every column; slices rise and do not overlap. What lies between them is not known, which
 * is not the same as nothing used. `cpuAllocatedMillis` and `memoryAllocatedBytes` are the means of the greater of request
 * and usage where the source has seen it finer than these slices; without them it is taken of each slice.
 *
 * **Units** means over the slice in thousandths of a core and bytes of working set; `memoryPeakBytes` its maximum.
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
 * **Shape** `runs` are the times it ran, from `startedAt` to `finishedAt` of its states, also those before a restart; one
 * that still runs ends with what was seen. `init` ends before the pod's own containers start, `sidecar` is an init
 * container that stays. One that was resized while it ran is there once for each of its sizes, with the runs of that time.
 *
 * **Units** of requests, 0 where there is none: thousandths of a core, bytes, GPUs.
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

/** What left a pod, where the source knows. **Units** KiB in this hour. */
export interface Egress {
  readonly zoneKib: number
  readonly regionKib: number
  readonly internetKib: number
}

/**
 * A pod, whether it still is there or not.
 *
 * **Shape** `workload` is what it is charged to: the top of its owners, or itself. `node` is empty until it is bound.
 * `claims` are the names of the claims that it mounts.
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
 * A volume, for as long as it was there.
 *
 * **Shape** `claim` and `namespace` are empty for one that no claim has. **Units** bytes, as requested.
 */
export interface VolumeFacts {
  readonly namespace: string
  readonly claim: string
  readonly name: string
  readonly storageClass: string
  readonly bytes: number
  readonly spans: ReadonlyArray<Span>
}

/** A service with a load balancer of the provider. **Shape** `pods` are the uids of those behind it. */
export interface LoadBalancerFacts {
  readonly namespace: string
  readonly name: string
  readonly spans: ReadonlyArray<Span>
  readonly pods: ReadonlyArray<string>
}

/**
 * One hour of one cluster, as it was seen.
 *
 * **Shape** `startMs` is a whole UTC hour. `seen` are the times in which the cluster could be watched: outside of them
 * nothing is charged and nothing is covered. Facts outside of the hour are cut to it. The order of nothing matters.
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
