/**
 * Limits the requests of pods to what their nodes have.
 *
 * Metrics report requests even while the kubelet defers or refuses a resize. The scheduler never overcommits requests, so
 * anything above the node's capacity was not granted.
 */
import type { ContainerFacts, NodeFacts, PodFacts } from "../../allocation/HourFacts.ts"

type Resource = "cpuRequestMillis" | "memoryRequestBytes"
const SIZES = { cpuRequestMillis: "cpuMillis", memoryRequestBytes: "memoryBytes" } as const satisfies Record<
  Resource,
  keyof NodeFacts
>

/** The request of a container that takes a part of its node's capacity, and the container's run time. */
interface Share {
  readonly requested: number
  readonly lengthMs: number
}

/**
 * Reduces the requests of a node's pods where their sum exceeds the node's capacity.
 *
 * **Shape** the largest requests of the node are lowered to a common level at which all fit; smaller ones do not
 * change. For reduced containers the mean of max(request, usage) that the server returned is dropped, because it
 * includes the excess. Init containers other than sidecars are ignored. A node of unknown capacity limits nothing.
 *
 * **Limits** compares sums over the hour; n log n in the containers of a node.
 */
export const bounded = (pods: ReadonlyArray<PodFacts>, nodes: ReadonlyArray<NodeFacts>): ReadonlyArray<PodFacts> => {
  const machines = Map.groupBy(nodes, ({ name }) => name)
  const cut = new Map<PodFacts, PodFacts>()
  for (const [node, onNode] of Map.groupBy(pods, (pod) => pod.node)) {
    const sizes = machines.get(node) ?? []
    const cpuMillis = levelOf(onNode, sizes, "cpuRequestMillis")
    const memoryBytes = levelOf(onNode, sizes, "memoryRequestBytes")
    if (cpuMillis === Infinity && memoryBytes === Infinity) continue
    for (const pod of onNode) {
      cut.set(pod, { ...pod, containers: pod.containers.map((container) => cutTo(container, cpuMillis, memoryBytes)) })
    }
  }
  return cut.size === 0 ? pods : pods.map((pod) => cut.get(pod) ?? pod)
}

const lengthOf = ({ runs }: ContainerFacts): number => runs.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)

/** Returns the level to which requests are lowered; `Infinity` if all fit. */
const levelOf = (pods: ReadonlyArray<PodFacts>, machines: ReadonlyArray<NodeFacts>, resource: Resource): number => {
  const size = Math.max(0, ...machines.map((machine) => machine[SIZES[resource]]))
  if (size === 0) return Infinity
  const shares = pods
    .flatMap(({ containers }) => containers.filter(({ role }) => role !== "init"))
    .map((container): Share => ({ requested: container[resource], lengthMs: lengthOf(container) }))
    .filter(({ requested, lengthMs }) => requested > 0 && lengthMs > 0)
    .toSorted((one, other) => one.requested - other.requested)
  let room = size * extentOf(pods)
  let lengthMs = shares.reduce((sum, share) => sum + share.lengthMs, 0)
  for (const share of shares) {
    if (share.requested * lengthMs > room) return Math.floor(room / lengthMs)
    room -= share.requested * share.lengthMs
    lengthMs -= share.lengthMs
  }
  return Infinity
}

/** Returns the time from the first start to the last end of any container. */
const extentOf = (pods: ReadonlyArray<PodFacts>): number => {
  let [fromMs, toMs] = [Infinity, -Infinity]
  for (const { containers } of pods) {
    for (const { runs } of containers) {
      for (const run of runs) {
        fromMs = Math.min(fromMs, run.fromMs)
        toMs = Math.max(toMs, run.toMs)
      }
    }
  }
  return Math.max(0, toMs - fromMs)
}

const cutTo = (container: ContainerFacts, cpuMillis: number, memoryBytes: number): ContainerFacts => {
  const isCpuCut = container.cpuRequestMillis > cpuMillis
  const isMemoryCut = container.memoryRequestBytes > memoryBytes
  if (container.role === "init" || (!isCpuCut && !isMemoryCut)) return container
  const { usage, ...others } = container
  const { cpuAllocatedMillis, memoryAllocatedBytes, ...measured } = usage ?? {
    fromMs: [],
    toMs: [],
    cpuMillis: [],
    memoryBytes: []
  }
  return {
    ...others,
    cpuRequestMillis: Math.min(container.cpuRequestMillis, cpuMillis),
    memoryRequestBytes: Math.min(container.memoryRequestBytes, memoryBytes),
    ...(usage === undefined
      ? {}
      : {
          usage: {
            ...measured,
            ...(isCpuCut || cpuAllocatedMillis === undefined ? {} : { cpuAllocatedMillis }),
            ...(isMemoryCut || memoryAllocatedBytes === undefined ? {} : { memoryAllocatedBytes })
          }
        })
  }
}
