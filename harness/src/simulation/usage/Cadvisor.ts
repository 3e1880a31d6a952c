/**
 * Container metrics as a kubelet's cAdvisor exports them.
 *
 * **Source** google/cadvisor, `metrics/prometheus.go` (names, types, the timestamp on every sample); Kubernetes,
 * `pkg/kubelet/server/server.go`, `containerPrometheusLabelsFunc` (the labels `container`, `id`, `image`, `name`,
 * `namespace`, `pod`, empty where they do not apply; the pod's own cgroup has no container).
 */
import { type Curve, flat, integral, at as levelAt } from "./Curve.ts"
import type { Family, Labels, Series } from "./Family.ts"
import type { Inventory } from "./Inventory.ts"
import { assign, type ContainerUsage } from "./Profile.ts"
import type { ContainerRow, NodeRow, PodRow } from "./Rows.ts"

/** Usage of every node in addition to its pods. */
export const NODE_OVERHEAD: { readonly cpuCores: Curve; readonly memoryBytes: Curve } = {
  cpuCores: flat(0.1),
  memoryBytes: flat(512 * 2 ** 20)
}

/** A running or ended container and its usage. **Units** milliseconds since 1970. `toMs` is absent while it runs. */
export interface RunningContainer {
  readonly pod: PodRow
  readonly container: ContainerRow
  readonly usage: ContainerUsage
  readonly fromMs: number
  readonly toMs?: number
}

/** Returns the usage of one container of a pod. */
const usageOf = (seed: number, inventory: Inventory, pod: PodRow, container: ContainerRow): ContainerUsage => {
  const { kind, name } = inventory.workloadOf(pod)
  const { limits, requests } = container
  return assign(
    seed,
    { namespace: pod.namespace, kind, name, container: container.name },
    {
      ...(requests["cpu"] === undefined ? {} : { cpuRequestCores: requests["cpu"] }),
      ...(limits["cpu"] === undefined ? {} : { cpuLimitCores: limits["cpu"] }),
      ...(requests["memory"] === undefined ? {} : { memoryRequestBytes: requests["memory"] }),
      ...(limits["memory"] === undefined ? {} : { memoryLimitBytes: limits["memory"] })
    },
    pod.annotations
  )
}

/** Returns all containers of a pod that have started. */
export const containersOf = (seed: number, inventory: Inventory, pod: PodRow): ReadonlyArray<RunningContainer> =>
  pod.containers.flatMap((container) =>
    container.run === undefined
      ? []
      : [{ pod, container, usage: usageOf(seed, inventory, pod, container), ...container.run }]
  )

export const isRunning = ({ fromMs, toMs }: RunningContainer, instantMs: number): boolean =>
  fromMs <= instantMs && (toMs === undefined || instantMs < toMs)

/** A pod with its started containers. */
interface PodParts {
  readonly pod: PodRow
  readonly parts: ReadonlyArray<RunningContainer>
}

type Overhead = (node: NodeRow, instantMs: number) => number

/** Returns the sum of a curve over all running containers. */
const levelOver = (
  curve: (usage: ContainerUsage) => Curve,
  instantMs: number,
  parts: ReadonlyArray<RunningContainer>
) => sum(parts, (part) => (isRunning(part, instantMs) ? levelAt(curve(part.usage), instantMs) : undefined))

/** Returns the sum of what all running containers have used since their start. */
const totalOver = (
  curve: (usage: ContainerUsage) => Curve,
  instantMs: number,
  parts: ReadonlyArray<RunningContainer>
) =>
  sum(parts, (part) => (isRunning(part, instantMs) ? integral(curve(part.usage), part.fromMs, instantMs) : undefined))

/** Creates the series of containers, pods and nodes. */
const seriesOf = (inventory: Inventory, all: ReadonlyArray<PodParts>) => {
  function* perContainer(extra: Labels, value: Value): Generator<Series> {
    for (const { parts } of all) {
      for (const part of parts) {
        yield { labels: containerLabels(part, extra), at: (instantMs) => value(instantMs, [part]) }
      }
    }
  }
  function* perPod(extra: Labels, value: Value, chosen: (pod: PodRow) => boolean = () => true): Generator<Series> {
    for (const { parts, pod } of all) {
      if (parts.length > 0 && chosen(pod))
        yield { labels: podLabels(pod, extra), at: (instantMs) => value(instantMs, parts) }
    }
  }
  function* perNode(extra: Labels, value: Value, overhead: Overhead): Generator<Series> {
    const byNode = Map.groupBy(all, ({ pod }) => pod.node)
    for (const node of inventory.nodes.rows()) {
      const parts = (byNode.get(node.name) ?? []).flatMap(({ parts }) => parts)
      yield {
        labels: nodeLabels(node, extra),
        at: (instantMs) =>
          instantMs < node.createdMs ? undefined : (value(instantMs, parts) ?? 0) + overhead(node, instantMs)
      }
    }
  }
  const everywhere = (extra: Labels, value: Value, overhead: Overhead) =>
    function* (): Generator<Series> {
      yield* perContainer(extra, value)
      yield* perPod(extra, value)
      yield* perNode(extra, value, overhead)
    }
  return { perContainer, perPod, everywhere }
}

const TIMED = { timed: true } as const

/**
 * Returns the families of all nodes.
 *
 * **Shape** as in cAdvisor there is a series for each container, for each pod's cgroup (empty `container`; the sum of
 * its containers) and for each node (`id="/"`; its pods and {@link NODE_OVERHEAD}). Each has the label `node`, which
 * scraping adds in reality. An ended container has no series. Network counters are per pod, without pods on the host
 * network.
 */
export const families = (seed: number, inventory: Inventory): ReadonlyArray<Family> => {
  // Curves are computed once for all families, because they dominate the cost of a scrape.
  const all = Array.from(inventory.pods.rows(), (pod) => ({ pod, parts: containersOf(seed, inventory, pod) }))
  const series = seriesOf(inventory, all)
  return [
    cpu(series),
    ...memory(series),
    ...network(series),
    filesystem(series),
    started(series),
    ...machine(inventory)
  ]
}

type AllSeries = ReturnType<typeof seriesOf>

const cpu = ({ everywhere }: AllSeries): Family => ({
  name: "container_cpu_usage_seconds_total",
  help: "Cumulative cpu time consumed in seconds.",
  type: "counter",
  ...TIMED,
  series: everywhere(
    [["cpu", "total"]],
    (instantMs, parts) => totalOver(({ cpuCores }) => cpuCores, instantMs, parts),
    // A node's counter holds its overhead since its creation, and the usage of running containers only.
    ({ createdMs }, instantMs) => integral(NODE_OVERHEAD.cpuCores, createdMs, instantMs)
  )
})

const memory = ({ everywhere }: AllSeries): ReadonlyArray<Family> => {
  const family = (name: string, help: string, share: number): Family => ({
    name,
    help,
    type: "gauge",
    ...TIMED,
    series: everywhere(
      [],
      (instantMs, parts) =>
        scaled(
          levelOver(({ memoryBytes }) => memoryBytes, instantMs, parts),
          share
        ),
      (_, instantMs) => levelAt(NODE_OVERHEAD.memoryBytes, instantMs) * share
    )
  })
  return [
    family("container_memory_working_set_bytes", "Current working set in bytes.", 1),
    family("container_memory_usage_bytes", "Current memory usage in bytes, including all memory.", 1.1),
    family("container_memory_rss", "Size of RSS in bytes.", 0.9)
  ]
}

const network = ({ perPod }: AllSeries): ReadonlyArray<Family> => {
  const family = (name: string, help: string, curve: (usage: ContainerUsage) => Curve): Family => ({
    name,
    help,
    type: "counter",
    ...TIMED,
    series: () =>
      perPod(
        [["interface", "eth0"]],
        (instantMs, parts) => totalOver(curve, instantMs, parts),
        ({ hostNetwork }) => !hostNetwork
      )
  })
  return [
    family(
      "container_network_receive_bytes_total",
      "Cumulative count of bytes received",
      ({ networkReceiveRate }) => networkReceiveRate
    ),
    family(
      "container_network_transmit_bytes_total",
      "Cumulative count of bytes transmitted",
      ({ networkTransmitRate }) => networkTransmitRate
    )
  ]
}

const filesystem = ({ perContainer }: AllSeries): Family => ({
  name: "container_fs_usage_bytes",
  help: "Number of bytes that are consumed by the container on this filesystem.",
  type: "gauge",
  ...TIMED,
  series: () =>
    perContainer([["device", "/dev/vda1"]], (instantMs, parts) =>
      levelOver(({ filesystemBytes }) => filesystemBytes, instantMs, parts)
    )
})

const started = ({ perContainer }: AllSeries): Family => ({
  name: "container_start_time_seconds",
  help: "Start time of the container since unix epoch in seconds.",
  type: "gauge",
  ...TIMED,
  series: () => perContainer([], (instantMs, parts) => sum(parts, (part) => startOf(part, instantMs)))
})

/** The value of several containers together. Undefined if none of them is running. */
type Value = (instantMs: number, parts: ReadonlyArray<RunningContainer>) => number | undefined

const sum = (
  parts: ReadonlyArray<RunningContainer>,
  value: (part: RunningContainer) => number | undefined
): number | undefined => {
  let total: number | undefined
  for (const part of parts) {
    const partValue = value(part)
    if (partValue !== undefined) total = (total ?? 0) + partValue
  }
  return total
}

const scaled = (value: number | undefined, factor: number): number | undefined =>
  value === undefined ? undefined : value * factor

const startOf = (part: RunningContainer, instantMs: number): number | undefined =>
  isRunning(part, instantMs) ? part.fromMs / 1_000 : undefined

/** Returns the metrics with the capacities of the machines. */
const machine = ({ nodes }: Inventory): ReadonlyArray<Family> => {
  const family = (name: string, help: string, resource: string): Family => ({
    name,
    help,
    type: "gauge",
    timed: true,
    *series() {
      for (const { capacity, createdMs, name } of nodes.rows()) {
        const amount = capacity[resource]
        if (amount === undefined) continue
        yield { labels: [["node", name]], at: (instantMs) => (instantMs < createdMs ? undefined : amount) }
      }
    }
  })
  return [
    family("machine_cpu_cores", "Number of logical CPU cores.", "cpu"),
    family("machine_memory_bytes", "Amount of memory installed on the machine.", "memory")
  ]
}

/** Returns the cgroup path of a pod. With `last`, the last part of the path, returns that of one container's run. */
const cgroup = (pod: PodRow, last = ""): string =>
  `/kubepods.slice/kubepods-pod${pod.uid.replaceAll("-", "_")}.slice${last === "" ? "" : `/${last}`}`

const containerLabels = ({ container, pod }: RunningContainer, extra: Labels): Labels => {
  // A restarted container is a new container with a new series.
  const name = `${pod.uid}-${container.name}-${container.restarts}`
  return sorted([
    ["container", container.name],
    ["id", cgroup(pod, `cri-containerd-${name}.scope`)],
    ["image", container.image],
    ["name", name],
    ["namespace", pod.namespace],
    ["node", pod.node],
    ["pod", pod.name],
    ...extra
  ])
}

const podLabels = (pod: PodRow, extra: Labels): Labels =>
  sorted([
    ["container", ""],
    ["id", cgroup(pod)],
    ["image", ""],
    ["name", ""],
    ["namespace", pod.namespace],
    ["node", pod.node],
    ["pod", pod.name],
    ...extra
  ])

const nodeLabels = (node: NodeRow, extra: Labels): Labels =>
  sorted([
    ["container", ""],
    ["id", "/"],
    ["image", ""],
    ["name", ""],
    ["namespace", ""],
    ["node", node.name],
    ["pod", ""],
    ...extra
  ])

const sorted = (labels: Labels): Labels => labels.toSorted(([left], [right]) => (left < right ? -1 : 1))
