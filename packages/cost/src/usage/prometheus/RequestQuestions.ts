/**
 * What is asked about the CPU and memory that containers were given.
 *
 * kube-state-metrics tells what pods ask for. A pod that is resized while it runs may ask for more than its node has: the
 * kubelet does not give it. Newer versions also tell what the kubelet reports as given, which counts where it is told.
 *
 * **Source** kubernetes/kube-state-metrics, `docs/metrics/workload/pod-metrics.md` and pull request 3016; KEP-1287.
 */
import { HOUR, is, type Matcher, matches, maxBy, minBy, selector, tagged } from "./Promql.ts"

const NODE = ["node", "resource"] as const
const SIZES = matches("resource", "cpu|memory")

/** What nodes have for pods; their capacity where that is not told. */
const room = (place: ReadonlyArray<Matcher>, over = (series: string) => series): string => {
  const of = (kind: string) => over(selector(`kube_node_status_${kind}`, [...place, SIZES]))
  return minBy(NODE, `${of("allocatable")} or ${of("capacity")}`)
}

const isAbove = (asked: string, limit: string): string => `(${asked} > on (${NODE.join(",")}) group_left () ${limit})`

/** What containers ask for, without what is more than their node has. **Shape** `labels` hold those of a node's resource. */
const fitting = (labels: ReadonlyArray<string>, series: string, place: ReadonlyArray<Matcher>): string => {
  const asked = maxBy(labels, series)
  return `(${asked} unless ${isAbove(asked, room(place))})`
}

/** What containers have of a resource now: what the kubelet reports, else what they ask for and their node has. */
export const given = (
  labels: ReadonlyArray<string>,
  place: ReadonlyArray<Matcher>,
  resource: "cpu" | "memory"
): string => {
  const of = (names: string) => selector("", [...place, matches("__name__", names), is("resource", resource)])
  const reported = maxBy(labels, of("kube_pod_(init_)?container_status_resource_requests"))
  const asked = fitting([...labels, ...NODE], of("kube_pod_(init_)?container_resource_requests"), place)
  return `(${reported} or on (${labels.join(",")}) ${maxBy(labels, asked)})`
}

const byRole = (question: (kind: string) => string): string =>
  tagged("role", { main: question("kube_pod_container"), init: question("kube_pod_init_container") })

/** The hour's mean of what the kubelet reports. **Shape** `labels` name a container. */
export const reported = (labels: ReadonlyArray<string>, place: ReadonlyArray<Matcher>): string =>
  byRole((kind) =>
    maxBy(
      [...labels, "resource"],
      `avg_over_time(${selector(`${kind}_status_resource_requests`, [...place, SIZES])}[${HOUR}])`
    )
  )

/** Containers that asked for more than their node has at any time of the hour. */
export const refused = (labels: ReadonlyArray<string>, place: ReadonlyArray<Matcher>): string =>
  byRole((kind) => {
    const asked = `max_over_time(${selector(`${kind}_resource_requests`, [...place, SIZES])}[${HOUR}])`
    const limit = room(place, (series) => `min_over_time(${series}[${HOUR}])`)
    return isAbove(maxBy([...labels, ...NODE], asked), limit)
  })

/** The mean of what containers asked for in those minutes in which their node had it; asked where any was refused. */
export const fittingMean = (labels: ReadonlyArray<string>, place: ReadonlyArray<Matcher>): string =>
  byRole((kind) => {
    const series = selector(`${kind}_resource_requests`, [...place, SIZES])
    return maxBy([...labels, "resource"], `avg_over_time((${fitting([...labels, ...NODE], series, place)})[59m59s:1m])`)
  })
