/**
 * Restores the names of GPU resources from the form that kube-state-metrics writes.
 */

const MIG = /^nvidia_com_mig_((?:\d+c_)?\d+g_\d+gb(?:_me_all|_me|_gfx)?)(_shared|_replicas)?$/

/**
 * Returns the original name of a GPU part's resource or label. **Shape** `undefined` for other names.
 *
 * The character before `me` is lost, so `-me` (without media engines) is restored as `.me`. Both are the same share of a GPU.
 *
 * **Example** `nvidia_com_mig_1g_5gb` is `nvidia.com/mig-1g.5gb`, `nvidia_com_mig_1g_24gb_me_all` is
 * `nvidia.com/mig-1g.24gb.me.all`.
 */
export const fromMetric = (name: string): string | undefined => {
  if (name === "nvidia_com_gpu_shared") return "nvidia.com/gpu.shared"
  const [, profile, suffix = ""] = MIG.exec(name) ?? []
  return profile === undefined ? undefined : `nvidia.com/mig-${profile.replaceAll("_", ".")}${suffix.replace("_", ".")}`
}

/** Original accelerator names by their names in kube-state-metrics. */
export type AcceleratorNames = ReadonlyMap<string, string>

/**
 * Indexes accelerator names by their names in kube-state-metrics, such as `google_com_tpu` for `google.com/tpu`.
 *
 * **Source** kubernetes/kube-state-metrics, `internal/store/utils.go`, `SanitizeLabelName`.
 */
export const acceleratorNames = (accelerators: ReadonlyArray<string>): AcceleratorNames =>
  new Map(accelerators.map((name) => [name.replaceAll(/[^a-zA-Z0-9_]/g, "_"), name]))

/** Splits amounts into whole GPUs and parts. The caller must exclude CPU and memory. */
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
