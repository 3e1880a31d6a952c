/**
 * Queries for the usage of containers and pods in an hour.
 *
 * **Source** google/cadvisor, `metrics/prometheus.go`; kubernetes/kube-state-metrics, `docs/metrics`; Kubecost's and
 * OpenCost's network exporter.
 */
import {
  HOUR,
  isNot,
  type Matcher,
  matches,
  maxBy,
  MINUTE,
  minuteBits,
  minutely,
  selector,
  SLICE,
  sumBy,
  tagged
} from "./Promql.ts"
import * as RequestQueries from "./RequestQueries.ts"

const CONTAINER = ["namespace", "pod", "container"] as const

/** Matches pods' containers. Excludes the cgroups of pods and nodes, and the pause containers of old runtimes. */
const ofContainers = (place: ReadonlyArray<Matcher>): ReadonlyArray<Matcher> => [
  ...place,
  isNot("container", ""),
  isNot("container", "POD"),
  isNot("pod", "")
]

/**
 * CPU usage in cores by container.
 *
 * Runs of a container (`id`) that were scraped twice count once, and successive runs add up. The window must be one scrape
 * interval (one minute) longer than the measured time, because a rate needs the sample before that time.
 */
const cpuCores = (place: ReadonlyArray<Matcher>, rate: "rate" | "irate", window: string): string => {
  // Old kubelets reported each core as a separate series. These are excluded, because `max` would count them as one core.
  const series = selector("container_cpu_usage_seconds_total", [...ofContainers(place), matches("cpu", "total|")])
  return sumBy(CONTAINER, maxBy([...CONTAINER, "id"], `${rate}(${series}[${window}])`))
}

const memory = (place: ReadonlyArray<Matcher>): string =>
  selector("container_memory_working_set_bytes", ofContainers(place))

/** Selects the greater of usage and request, or the one that exists. Without the label `side`, `or` would drop the request. */
const greater = (usage: string, request: string): string =>
  maxBy(CONTAINER, `${usage} or ${tagged("side", { request })}`)

/** One query per usage column, evaluated at the end of each slice. **Units** cores and bytes. */
export const slices = (place: ReadonlyArray<Matcher>) => ({
  /** The minutes with samples. */
  known: minuteBits(maxBy(CONTAINER, `present_over_time(${memory(place)}[${MINUTE}])`)),
  cpu: cpuCores(place, "rate", "6m"),
  /**
   * Mean of the CPU rates of known minutes only. In a slice in which a container starts or ends, `cpu` averages over
   * too much time.
   */
  cpuAtEdges: minutely("avg_over_time", cpuCores(place, "irate", "2m")),
  memory: maxBy(CONTAINER, `avg_over_time(${memory(place)}[${SLICE}])`),
  memoryPeak: maxBy(CONTAINER, `max_over_time(${memory(place)}[${SLICE}])`),
  cpuAllocated: minutely(
    "avg_over_time",
    greater(cpuCores(place, "rate", "2m"), RequestQueries.granted(CONTAINER, place, "cpu"))
  ),
  memoryAllocated: minutely(
    "avg_over_time",
    greater(maxBy(CONTAINER, memory(place)), RequestQueries.granted(CONTAINER, place, "memory"))
  )
})

const EGRESS_CLASS = ["internet", "same_zone", "same_region", "sameZone", "sameRegion"] as const

/** Further labels by which exporters split the egress of one pod. */
const EGRESS_PARTS = ["service", "exported_service", "nat_gateway", "natGateway"] as const

/**
 * The egress of pods, evaluated at the end of the hour.
 *
 * The exporter on each node reports its pods; a reused pod name may come from several nodes. Series of two jobs or of a
 * redundant pair of servers for the same exporter count once.
 *
 * **Units** bytes.
 */
export const egress = (place: ReadonlyArray<Matcher>): string => {
  const pod = ["namespace", "pod_name", ...EGRESS_CLASS]
  const grown = `increase(${selector("kubecost_pod_network_egress_bytes_total", place)}[${HOUR}])`
  return maxBy(pod, sumBy([...pod, "job"], maxBy([...pod, ...EGRESS_PARTS, "job", "instance"], grown)))
}
