/**
 * The resources of a pod's containers, shared by all replicas with equal resources.
 */

/** When a container runs. An `init` container ends before the main containers start; a `sidecar` keeps running. */
export type ContainerRole = "main" | "sidecar" | "init"

/**
 * A container with the resources that its node reserves for it.
 *
 * **Shape** requests are those of the spec, or those that the kubelet has allocated if it reports them. Requests of the
 * pod beyond its containers are distributed over its main containers and sidecars, as `PodShares` says. These further
 * requests are the overhead of the runtime class, and pod-level requests above the containers' sum. `gpus` counts whole
 * GPUs. `gpuParts` counts MIG slices, time-shared GPUs and configured accelerators, by resource name, if there are any.
 *
 * **Units** thousandths of a core, bytes, GPUs; 0 without a request.
 */
export interface ContainerTemplate {
  readonly name: string
  readonly role: ContainerRole
  readonly cpuRequestMillis: number
  readonly memoryRequestBytes: number
  readonly gpus: number
  readonly gpuParts?: Readonly<Record<string, number>>
}
