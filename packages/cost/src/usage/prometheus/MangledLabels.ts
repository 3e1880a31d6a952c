/**
 * Labels of Kubernetes, from the names that kube-state-metrics gives them.
 *
 * **Source** kubernetes/kube-state-metrics, `internal/store/utils.go`.
 */
import { GPU_LABELS } from "../../allocation/GpuShare.ts"
import * as GpuNames from "./GpuNames.ts"
import { PRICING_LABELS } from "../../price/RateClass.ts"

const PREFIX = "label_"

/** Labels that Kubernetes recommends for workloads. **Source** Kubernetes, "Recommended Labels". */
const RECOMMENDED = ["name", "instance", "version", "component", "part-of", "managed-by"].map(
  (name) => `app.kubernetes.io/${name}`
)

/** `app.kubernetes.io/partOf` becomes `app_kubernetes_io_part_of`. */
const mangled = (name: string): string =>
  name
    .replace(/[^a-zA-Z0-9_]/g, "_")
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()

const KNOWN: ReadonlyMap<string, string> = new Map(
  [...RECOMMENDED, ...PRICING_LABELS, ...GPU_LABELS].map((name) => [mangled(name), name])
)

/**
 * Reads an object's labels from those of its `…_labels` series.
 *
 * The labels that prices hang on and those that Kubernetes recommends get their own names back; of others the
 * name stays as the metric has it, `cost_center` where the object said `cost-center`, since what was replaced is lost.
 */
export const toLabels = (labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(labels)
      .filter(([name]) => name.startsWith(PREFIX))
      .map(([name, value]) => [nameOf(name.slice(PREFIX.length)), value])
  )

const nameOf = (name: string): string => KNOWN.get(name.toLowerCase()) ?? GpuNames.fromMetric(name) ?? name
