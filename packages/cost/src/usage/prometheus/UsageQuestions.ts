/**
 * What is asked about the usage of an hour's containers and pods.
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
import * as RequestQuestions from "./RequestQuestions.ts"

const CONTAINER = ["namespace", "pod", "container"] as const

/** The containers of pods: not the pods' own cgroups, not those of the node, not the pause containers of old runtimes. */
const ofContainers = (place: ReadonlyArray<Matcher>): ReadonlyArray<Matcher> => [
  ...place,
  isNot("container", ""),
  isNot("container", "POD"),
  isNot("pod", "")
]

/**
 * CPU seconds a second of each container.
 *
 * Runs of one container (`id`) that two scrapes tell twice count once, and runs that follow each other add up.
 * The window is a scrape's interval of one minute longer than what is meant, since growth lies between samples.
 */
const cpuCores = (place: ReadonlyArray<Matcher>, rate: "rate" | "irate", window: string): string => {
  // Kernels that count each core for itself have been gone from kubelets for long; their lines would count as one core's.
  const series = selector("container_cpu_usage_seconds_total", [...ofContainers(place), matches("cpu", "total|")])
  return sumBy(CONTAINER, maxBy([...CONTAINER, "id"], `${rate}(${series}[${window}])`))
}

const memory = (place: ReadonlyArray<Matcher>): string =>
  selector("container_memory_working_set_bytes", ofContainers(place))

/** The greater of both, or the one that is there: a label of its own keeps the one from hiding the other. */
const greater = (usage: string, request: string): string =>
  maxBy(CONTAINER, `${usage} or ${tagged("side", { request })}`)

/** One question for each column of the slices, asked at the end of each slice. **Units** cores and bytes. */
export const slices = (place: ReadonlyArray<Matcher>) => ({
  /** In which minutes there were samples. */
  known: minuteBits(maxBy(CONTAINER, `present_over_time(${memory(place)}[${MINUTE}])`)),
  cpu: cpuCores(place, "rate", "6m"),
  /** Of the minutes that are known alone: in the slice in which a container starts or ends, `cpu` spreads too thin. */
  cpuAtEdges: minutely("avg_over_time", cpuCores(place, "irate", "2m")),
  memory: maxBy(CONTAINER, `avg_over_time(${memory(place)}[${SLICE}])`),
  memoryPeak: maxBy(CONTAINER, `max_over_time(${memory(place)}[${SLICE}])`),
  cpuAllocated: minutely(
    "avg_over_time",
    greater(cpuCores(place, "rate", "2m"), RequestQuestions.given(CONTAINER, place, "cpu"))
  ),
  memoryAllocated: minutely(
    "avg_over_time",
    greater(maxBy(CONTAINER, memory(place)), RequestQuestions.given(CONTAINER, place, "memory"))
  )
})

const EGRESS_CLASS = ["internet", "same_zone", "same_region", "sameZone", "sameRegion"] as const

/** By what else an exporter tells the traffic of one pod apart. */
const EGRESS_PARTS = ["service", "exported_service", "nat_gateway", "natGateway"] as const

/**
 * What left the pods, asked at the end of the hour.
 *
 * Each pod is told by the exporter of its node, of several nodes if its name moved on. What two jobs scrape of
 * one exporter, or two servers of a pair, counts once.
 *
 * **Units** bytes.
 */
export const egress = (place: ReadonlyArray<Matcher>): string => {
  const pod = ["namespace", "pod_name", ...EGRESS_CLASS]
  const grown = `increase(${selector("kubecost_pod_network_egress_bytes_total", place)}[${HOUR}])`
  return maxBy(pod, sumBy([...pod, "job"], maxBy([...pod, ...EGRESS_PARTS, "job", "instance"], grown)))
}
