/**
 * Restores Kubernetes label names from the form that kube-state-metrics writes.
 *
 * **Source** kubernetes/kube-state-metrics, `internal/store/utils.go`.
 */
import { GPU_LABELS } from "../../allocation/GpuShare.ts"
import * as GpuNames from "./GpuNames.ts"
import { PRICING_LABELS } from "../../price/RateClass.ts"

const PREFIX = "label_"

/** Recommended labels of workloads. **Source** Kubernetes, "Recommended Labels". */
const RECOMMENDED = ["name", "instance", "version", "component", "part-of", "managed-by"].map(
  (name) => `app.kubernetes.io/${name}`
)

/** Converts a name like kube-state-metrics does: `app.kubernetes.io/partOf` becomes `app_kubernetes_io_part_of`. */
const mangled = (name: string): string =>
  name
    .replace(/[^a-zA-Z0-9_]/g, "_")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()

const KNOWN: ReadonlyMap<string, string> = new Map(
  [...RECOMMENDED, ...PRICING_LABELS, ...GPU_LABELS].map((name) => [mangled(name), name])
)

/**
 * Returns an object's labels from its `…_labels` series.
 *
 * Labels that prices depend on and labels that Kubernetes recommends get their original names. The replaced characters
 * of other labels are lost, so `cost-center` stays `cost_center`.
 */
export const toLabels = (labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(labels)
      .filter(([name]) => name.startsWith(PREFIX))
      .map(([name, value]) => [nameOf(name.slice(PREFIX.length)), value])
  )

const nameOf = (name: string): string => KNOWN.get(name.toLowerCase()) ?? GpuNames.fromMetric(name) ?? name
