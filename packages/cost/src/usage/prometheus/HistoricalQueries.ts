/**
 * Queries for the objects of a cluster in a past hour.
 *
 * **Source** kubernetes/kube-state-metrics, `docs/metrics`; google/cadvisor, `metrics/prometheus.go`.
 */
import {
  HOUR,
  is,
  isNot,
  lastSeen,
  type Matcher,
  matches,
  maxBy,
  MINUTE,
  minuteBits,
  selector,
  SLICE,
  tagged
} from "./Promql.ts"
import type { AcceleratorNames } from "./GpuNames.ts"
import * as RequestQueries from "./RequestQueries.ts"

const POD = ["namespace", "pod", "uid"] as const
const CONTAINER = [...POD, "container"] as const
const OWNER = ["owner_kind", "owner_name", "owner_is_controller"] as const
const OBJECTS = "kube_node_info|kube_pod_info"
/** Regular expression for the names of GPU resources in metrics. */
const GPUS = "nvidia_com_gpu|nvidia_com_gpu_shared|nvidia_com_mig_.+|amd_com_gpu|gpu_intel_com_(i915|xe)"
/**
 * Matches CPU, memory, GPUs and accelerators. Resource names in metrics contain no special characters of regular expressions.
 */
const resourcesOf = (accelerators: AcceleratorNames): Matcher =>
  matches("resource", ["cpu|memory", GPUS, ...accelerators.keys()].join("|"))

/** The label of an EndpointSlice that names its Service, as kube-state-metrics writes it. */
export const SLICE_SERVICE = "label_kubernetes_io_service_name"

/** The last value of each series within the hour, by the given labels. */
const last = (labels: ReadonlyArray<string>, series: string): string =>
  maxBy(labels, `last_over_time(${series}[${HOUR}])`)

const mean = (labels: ReadonlyArray<string>, series: string): string =>
  maxBy(labels, `avg_over_time(${series}[${HOUR}])`)

/** The minutes of a slice in which each series existed, as `minuteBits` encodes them. */
const presence = (labels: ReadonlyArray<string>, series: string): string =>
  minuteBits(maxBy(labels, `present_over_time(${series}[${MINUTE}])`))

const edges = (labels: ReadonlyArray<string>, series: string): string =>
  tagged("edge", {
    first: `min by (${labels.join(",")}) (min_over_time(${series}[${HOUR}]))`,
    last: `max by (${labels.join(",")}) (max_over_time(${series}[${HOUR}]))`
  })

/** Number of known nodes, evaluated at the ends of hours. */
export const coverage = (place: ReadonlyArray<Matcher>): string =>
  `count(present_over_time(${selector("kube_node_info", place)}[${HOUR}]))`

/** Queries that are evaluated at the ends of slices and return minute masks. */
export const minutes = (place: ReadonlyArray<Matcher>, accelerators: AcceleratorNames) => {
  const running = (kind: string): string =>
    minuteBits(maxBy(CONTAINER, `max_over_time(${selector(kind, place)}[${MINUTE}])`))
  return {
    seen: presence([], selector("", [...place, matches("__name__", OBJECTS)])),
    running: tagged("role", {
      main: running("kube_pod_container_status_running"),
      init: running("kube_pod_init_container_status_running")
    }),
    nodes: presence(["node", "provider_id", "system_uuid"], selector("kube_node_info", place)),
    /** The last value of each slice, so that successive machines with one node name keep separate capacities. */
    nodeCapacity: maxBy(
      ["node", "resource"],
      `last_over_time(${selector("kube_node_status_capacity", [...place, resourcesOf(accelerators)])}[${SLICE}])`
    ),
    /**
     * Pods by name and node, because successive pods without UID may share a name on different nodes. Empty if
     * kube-state-metrics reports UIDs.
     */
    podsWithoutUid: presence(
      ["namespace", "pod", "node"],
      selector("kube_pod_info", [...place, is("uid", ""), isNot("node", "")])
    ),
    claims: presence(
      ["namespace", "persistentvolumeclaim", "storageclass", "volumename"],
      selector("kube_persistentvolumeclaim_info", [...place, isNot("volumename", "")])
    ),
    volumes: presence(["persistentvolume", "storageclass"], selector("kube_persistentvolume_info", place)),
    loadBalancers: presence(["namespace", "service"], selector("kube_service_status_load_balancer_ingress", place))
  }
}

/**
 * Queries for object labels, evaluated at the end of the hour. Each value is the time at which its series was last seen. If
 * series contradict each other, the newest counts.
 */
export const objects = (place: ReadonlyArray<Matcher>) => {
  const seen = (labels: ReadonlyArray<string>, metric: string): string =>
    maxBy(labels, lastSeen(selector(metric, place)))
  return {
    pods: seen([...POD, "node", "pod_ip", "host_network"], "kube_pod_info"),
    podOwners: seen([...POD, ...OWNER], "kube_pod_owner"),
    replicaSetOwners: seen(["namespace", "replicaset", ...OWNER], "kube_replicaset_owner"),
    jobOwners: seen(["namespace", "job_name", ...OWNER], "kube_job_owner"),
    workloadLabels: lastSeen(
      selector("", [
        ...place,
        matches("__name__", "kube_(deployment|statefulset|daemonset|replicaset|job|cronjob)_labels")
      ])
    ),
    nodeLabels: lastSeen(selector("kube_node_labels", place))
  }
}

/** Queries that are evaluated at the end of the hour. */
export const instants = (place: ReadonlyArray<Matcher>, accelerators: AcceleratorNames) => {
  const of = (metric: string, ...more: ReadonlyArray<Matcher>): string => selector(metric, [...place, ...more])
  const resources = [...CONTAINER, "resource"]
  return {
    podStarts: last(POD, of("kube_pod_start_time")),
    podEnds: last(POD, of("kube_pod_completion_time")),
    /**
     * Start times of containers. Not every kube-state-metrics reports them. The kubelet does, but without the pod's
     * UID.
     */
    starts: edges(CONTAINER, of("kube_pod_container_state_started")),
    cgroupStarts: edges(
      ["namespace", "pod", "container"],
      of("container_start_time_seconds", isNot("container", ""), isNot("container", "POD"))
    ),
    requests: tagged("role", {
      main: mean(resources, of("kube_pod_container_resource_requests", resourcesOf(accelerators))),
      init: mean(resources, of("kube_pod_init_container_resource_requests", resourcesOf(accelerators)))
    }),
    reportedRequests: RequestQueries.reported(CONTAINER, place),
    refusedRequests: RequestQueries.refused(CONTAINER, place),
    sidecars: last(CONTAINER, of("kube_pod_init_container_info", is("restart_policy", "Always"))),
    /**
     * A reason for termination is reported until the next one. The reason belongs to this hour if the container
     * restarted in this hour.
     */
    outOfMemory: [
      `(${maxBy(CONTAINER, `max_over_time(${of("kube_pod_container_status_last_terminated_reason", is("reason", "OOMKilled"))}[${HOUR}])`)}`,
      `and ${maxBy(CONTAINER, `increase(${of("kube_pod_container_status_restarts_total")}[${HOUR}])`)} > 0)`,
      `or ${maxBy(CONTAINER, `max_over_time(${of("kube_pod_container_status_terminated_reason", is("reason", "OOMKilled"))}[${HOUR}])`)}`
    ].join(" "),
    mounts: last(
      [...POD, "persistentvolumeclaim"],
      of("kube_pod_spec_volumes_persistentvolumeclaims_info", isNot("persistentvolumeclaim", ""))
    ),
    nodeStarts: last(["node"], of("kube_node_created")),
    claimBytes: mean(
      ["namespace", "persistentvolumeclaim"],
      of("kube_persistentvolumeclaim_resource_requests_storage_bytes")
    ),
    volumeBytes: mean(["persistentvolume"], of("kube_persistentvolume_capacity_bytes")),
    endpoints: last(["namespace", "endpoint", "ip"], of("kube_endpoint_address")),
    endpointSlices: last(
      ["namespace", "endpointslice", "address", "targetref_kind", "targetref_namespace", "targetref_name"],
      of("kube_endpointslice_endpoints")
    ),
    sliceServices: last(
      ["namespace", "endpointslice", SLICE_SERVICE],
      of("kube_endpointslice_labels", isNot(SLICE_SERVICE, ""))
    )
  }
}

/** An additional query, needed if a container requested more than its node has. */
export const fittingRequests = (place: ReadonlyArray<Matcher>): string => RequestQueries.fittingMean(CONTAINER, place)
