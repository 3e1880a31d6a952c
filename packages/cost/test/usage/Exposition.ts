/** Series by hand, for what no exporter of a test does on demand: restarts, outages, network classes. */
import * as Family from "@quarterdeck/harness/Family"
import { Stream } from "effect"

export type Labels = Readonly<Record<string, string>>

/** Values over time; `undefined` where there is no sample. */
export type Values = (atMs: number) => number | undefined

/** One series. */
export interface Told {
  readonly name: string
  readonly labels: Labels
  readonly at: Values
  readonly type?: "counter"
}

/** Writes series in OpenMetrics, a sample every `stepMs` from `fromMs` on. */
export const tell = (
  series: ReadonlyArray<Told>,
  timing: { readonly fromMs: number; readonly toMs: number; readonly stepMs: number }
): Stream.Stream<string> => {
  const families = [...Map.groupBy(series, ({ name }) => name)].map(([name, members]): Family.Family => ({
    name,
    help: "",
    type: members[0]?.type ?? "gauge",
    timed: true,
    series: () => members.map(({ at, labels }) => ({ labels: Object.entries(labels), at }))
  }))
  return Stream.fromIterable(Family.history(families, timing, []))
}

/** A value within a time, nothing before and after. */
export const during =
  (fromMs: number, toMs: number, value: Values = () => 1): Values =>
  (atMs) =>
    fromMs <= atMs && atMs < toMs ? value(atMs) : undefined

/** The series of cAdvisor and kube-state-metrics for a container that runs from one instant to another. */
export const container = (options: {
  readonly pod: string
  readonly uid: string
  readonly fromMs: number
  readonly toMs: number
  readonly cores: number
  readonly memoryBytes: number
  readonly requestCores?: number
  readonly run?: string
}): ReadonlyArray<Told> => {
  const { cores, fromMs, memoryBytes, pod, requestCores, run = "0", toMs, uid } = options
  const name = { namespace: "shop", pod, container: "main" }
  const cgroup = { ...name, id: `/kubepods/${uid}/${run}`, cpu: "total", node: "n1" }
  return [
    {
      name: "container_cpu_usage_seconds_total",
      type: "counter",
      labels: cgroup,
      at: during(fromMs, toMs, (atMs) => (cores * (atMs - fromMs)) / 1_000)
    },
    {
      name: "container_memory_working_set_bytes",
      labels: { ...name, id: cgroup.id },
      at: during(fromMs, toMs, () => memoryBytes)
    },
    {
      name: "container_start_time_seconds",
      labels: { ...name, id: cgroup.id },
      at: during(fromMs, toMs, () => fromMs / 1_000)
    },
    { name: "kube_pod_container_status_running", labels: { ...name, uid }, at: during(fromMs, toMs) },
    ...(requestCores === undefined
      ? []
      : [
          {
            name: "kube_pod_container_resource_requests",
            labels: { ...name, uid, node: "n1", resource: "cpu", unit: "core" },
            at: during(fromMs, toMs, () => requestCores)
          }
        ])
  ]
}

/** The series of kube-state-metrics for a pod, while it exists. */
export const pod = (options: {
  readonly pod: string
  readonly uid: string
  readonly fromMs: number
  readonly toMs: number
  readonly owner?: readonly [kind: string, name: string]
  readonly ip?: string
}): ReadonlyArray<Told> => {
  const { fromMs, ip = "", owner = ["", ""], pod: name, toMs, uid } = options
  const labels = { namespace: "shop", pod: name, uid }
  const [owner_kind, owner_name] = owner
  return [
    {
      name: "kube_pod_info",
      labels: { ...labels, node: "n1", pod_ip: ip, host_network: "false" },
      at: during(fromMs, toMs)
    },
    {
      name: "kube_pod_owner",
      labels: { ...labels, owner_kind, owner_name, owner_is_controller: owner_kind === "" ? "" : "true" },
      at: during(fromMs, toMs)
    }
  ]
}
