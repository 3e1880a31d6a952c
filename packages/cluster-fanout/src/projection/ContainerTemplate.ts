/**
 * The resources of a pod's containers, shared by all replicas that have the same.
 */

/** When a container runs: an `init` container ends before the pod's own begin; a `sidecar` is one that stays. */
export type ContainerRole = "main" | "sidecar" | "init"

/**
 * A container with the resources that its node gives it.
 *
 * **Shape** requests are those of the spec, until the kubelet reports what it allocated. What a pod asks for beyond its containers (the overhead of its runtime class, and pod-level requests above
 * the sum of those of its containers) is shared out among the main containers and sidecars, as `PodShares` says. `gpus` are whole ones;
 * `gpuParts` are MIG slices, GPUs shared by time, and accelerators of the settings, by the name of the resource, where there are any.
 *
 * **Units** thousandths of a core, bytes, GPUs; 0 where nothing is asked for.
 */
export interface ContainerTemplate {
  readonly name: string
  readonly role: ContainerRole
  readonly cpuRequestMillis: number
  readonly memoryRequestBytes: number
  readonly gpus: number
  readonly gpuParts?: Readonly<Record<string, number>>
}
