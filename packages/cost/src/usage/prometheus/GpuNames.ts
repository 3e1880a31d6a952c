/**
 * Names of parts of GPUs, from what kube-state-metrics makes of them.
 */

const MIG = /^nvidia_com_mig_((?:\d+c_)?\d+g_\d+gb(?:_me_all|_me|_gfx)?)(_shared|_replicas)?$/

/**
 * Gives a resource or label its own name back. **Shape** `undefined` for what stands for no part of a GPU.
 *
 * What was replaced is lost: `-me`, without media engines, reads as `.me`, which is the same part of a GPU.
 *
 * **Example** `nvidia_com_mig_1g_5gb` is `nvidia.com/mig-1g.5gb`, `nvidia_com_mig_1g_24gb_me_all` is `nvidia.com/mig-1g.24gb.me.all`.
 */
export const fromMetric = (name: string): string | undefined => {
  if (name === "nvidia_com_gpu_shared") return "nvidia.com/gpu.shared"
  const [, profile, suffix = ""] = MIG.exec(name) ?? []
  return profile === undefined ? undefined : `nvidia.com/mig-${profile.replaceAll("_", ".")}${suffix.replace("_", ".")}`
}

/** Names of accelerators by the names that kube-state-metrics gives them. */
export type AcceleratorNames = ReadonlyMap<string, string>

/**
 * Indexes names of accelerators by those of kube-state-metrics.
 *
 * **Source** kubernetes/kube-state-metrics, `internal/store/utils.go`, `SanitizeLabelName`. **Example** `google_com_tpu` for
 * `google.com/tpu`.
 */
export const acceleratorNames = (accelerators: ReadonlyArray<string>): AcceleratorNames =>
  new Map(accelerators.map((name) => [name.replaceAll(/[^a-zA-Z0-9_]/g, "_"), name]))

/** Sorts amounts of resources into whole GPUs and parts. Of anything but CPU and memory. */
export const sorted = (
  amounts: Iterable<readonly [resource: string, amount: number]>,
  accelerators: AcceleratorNames = new Map()
) => {
  let gpus = 0
  const parts: Record<string, number> = {}
  for (const [resource, amount] of amounts) {
    const part = fromMetric(resource) ?? accelerators.get(resource)
    if (part === undefined) gpus += amount
    else parts[part] = amount
  }
  return { gpus, ...(Object.keys(parts).length === 0 ? {} : { gpuParts: parts }) }
}
