/**
 * Queries for the CPU and memory requests that apply to containers.
 *
 * kube-state-metrics reports the requests in the pod spec. A resized pod may request more than its node has, which the kubelet
 * does not grant. Newer versions also report the granted requests, which take precedence.
 *
 * **Source** kubernetes/kube-state-metrics, `docs/metrics/workload/pod-metrics.md` and pull request 3016; KEP-1287.
 */
import { HOUR, is, type Matcher, matches, maxBy, minBy, selector, tagged } from "./Promql.ts"

const NODE = ["node", "resource"] as const
const SIZES = matches("resource", "cpu|memory")

/** The allocatable resources of nodes, or their capacity if the allocatable resources are unknown. */
const room = (place: ReadonlyArray<Matcher>, over = (series: string) => series): string => {
  const of = (kind: string) => over(selector(`kube_node_status_${kind}`, [...place, SIZES]))
  return minBy(NODE, `${of("allocatable")} or ${of("capacity")}`)
}

const isAbove = (requested: string, limit: string): string =>
  `(${requested} > on (${NODE.join(",")}) group_left () ${limit})`

/** Requests without those that exceed their node. **Shape** `labels` include the node and resource. */
const fitting = (labels: ReadonlyArray<string>, series: string, place: ReadonlyArray<Matcher>): string => {
  const requested = maxBy(labels, series)
  return `(${requested} unless ${isAbove(requested, room(place))})`
}

/** Present requests: those reported as granted, otherwise those in the spec that fit the node. */
export const granted = (
  labels: ReadonlyArray<string>,
  place: ReadonlyArray<Matcher>,
  resource: "cpu" | "memory"
): string => {
  const of = (names: string) => selector("", [...place, matches("__name__", names), is("resource", resource)])
  const reported = maxBy(labels, of("kube_pod_(init_)?container_status_resource_requests"))
  const requested = fitting([...labels, ...NODE], of("kube_pod_(init_)?container_resource_requests"), place)
  return `(${reported} or on (${labels.join(",")}) ${maxBy(labels, requested)})`
}

const byRole = (question: (kind: string) => string): string =>
  tagged("role", { main: question("kube_pod_container"), init: question("kube_pod_init_container") })

/** The hour's mean of the granted requests. **Shape** `labels` identify a container. */
export const reported = (labels: ReadonlyArray<string>, place: ReadonlyArray<Matcher>): string =>
  byRole((kind) =>
    maxBy(
      [...labels, "resource"],
      `avg_over_time(${selector(`${kind}_status_resource_requests`, [...place, SIZES])}[${HOUR}])`
    )
  )

/** Containers that requested more than their node has at any time of the hour. */
export const refused = (labels: ReadonlyArray<string>, place: ReadonlyArray<Matcher>): string =>
  byRole((kind) => {
    const requested = `max_over_time(${selector(`${kind}_resource_requests`, [...place, SIZES])}[${HOUR}])`
    const limit = room(place, (series) => `min_over_time(${series}[${HOUR}])`)
    return isAbove(maxBy([...labels, ...NODE], requested), limit)
  })

/**
 * The mean of a container's CPU or memory request over the minutes of the hour in which its node had that much. Needed
 * only if `refused` found containers.
 */
export const fittingMean = (labels: ReadonlyArray<string>, place: ReadonlyArray<Matcher>): string =>
  byRole((kind) => {
    const series = selector(`${kind}_resource_requests`, [...place, SIZES])
    return maxBy([...labels, "resource"], `avg_over_time((${fitting([...labels, ...NODE], series, place)})[59m59s:1m])`)
  })
