/**
 * Bounds what pods are charged for by what their nodes have.
 *
 * Metrics tell what a pod asks for, also where the kubelet waits with a resize or refuses it. The scheduler never puts more
 * on a node than it has, so anything above was asked for and not given.
 */
import type { ContainerFacts, NodeFacts, PodFacts } from "../../allocation/HourFacts.ts"

type Resource = "cpuRequestMillis" | "memoryRequestBytes"
const SIZES = { cpuRequestMillis: "cpuMillis", memoryRequestBytes: "memoryBytes" } as const satisfies Record<
  Resource,
  keyof NodeFacts
>

/** A container that counts against its node, and for how long. */
interface Share {
  readonly asked: number
  readonly lengthMs: number
}

/**
 * Cuts requests where those of a node come to more than it has.
 *
 * **Shape** the largest requests of the node are cut to one level at which all fit; smaller ones stay. A request that was cut
 * takes the place of the source's mean of the greater of request and usage, which holds what was asked for. Init containers
 * that end are neither counted nor cut. A node whose size is not known bounds nothing.
 *
 * **Limits** by the sums of the hour: some n log n in the containers of a node.
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
      cut.set(pod, { ...pod, containers: pod.containers.map((one) => cutTo(one, cpuMillis, memoryBytes)) })
    }
  }
  return cut.size === 0 ? pods : pods.map((pod) => cut.get(pod) ?? pod)
}

const lengthOf = ({ runs }: ContainerFacts): number => runs.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0)

/** Gives the level that requests are cut to; `Infinity` where all fit. */
const levelOf = (pods: ReadonlyArray<PodFacts>, machines: ReadonlyArray<NodeFacts>, resource: Resource): number => {
  const size = Math.max(0, ...machines.map((machine) => machine[SIZES[resource]]))
  if (size === 0) return Infinity
  const shares = pods
    .flatMap(({ containers }) => containers.filter(({ role }) => role !== "init"))
    .map((one): Share => ({ asked: one[resource], lengthMs: lengthOf(one) }))
    .filter(({ asked, lengthMs }) => asked > 0 && lengthMs > 0)
    .toSorted((one, other) => one.asked - other.asked)
  let room = size * extentOf(pods)
  let lengthMs = shares.reduce((sum, share) => sum + share.lengthMs, 0)
  for (const share of shares) {
    if (share.asked * lengthMs > room) return Math.floor(room / lengthMs)
    room -= share.asked * share.lengthMs
    lengthMs -= share.lengthMs
  }
  return Infinity
}

/** From the first start of a container to the last end. */
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
