/** Assigns seeded pods to nodes. */
import type { SizedTemplate } from "./BulkTemplates.ts"
import type { Template } from "./Catalog.ts"
import { type NodePlan, PODS_PER_NODE, RESERVED_CPU_MILLIS, RESERVED_MEMORY_MIB } from "./NodePlan.ts"
import type { Cloud } from "./Hardware.ts"

/** Returns the node and address of a replica. `at` is the replica's index. */
export type Place = (template: Template, at: number) => { readonly node: NodePlan; readonly address: string }

interface Room {
  readonly node: NodePlan
  cpuMillis: number
  memoryMib: number
  gpus: number
  pods: number
}

/** Share of a node's resources that the plan uses, so that the largest pod still fits. */
const FILL = 0.75

/**
 * Places every pod on the node with the most unrequested CPU among those with room, like the scheduler.
 *
 * Nodes with GPUs are reserved for pods that request one.
 */
export const placement = (nodes: ReadonlyArray<NodePlan>): Place => {
  const rooms = nodes.map((node): Room => ({
    node,
    cpuMillis: node.machine.cpuMillis - RESERVED_CPU_MILLIS,
    memoryMib: node.machine.memoryMib - RESERVED_MEMORY_MIB,
    gpus: node.machine.gpus,
    pods: PODS_PER_NODE
  }))
  let pods = 0
  return ({ kind, resources }, at) => {
    const wanted = resources.gpus ?? 0
    const fits = (room: Room): boolean =>
      room.pods > 0
      && room.memoryMib >= resources.memoryRequestMib
      && (wanted === 0 ? room.node.machine.gpus === 0 : room.gpus >= wanted)
    // A DaemonSet has one pod on every node.
    const room = (kind === "DaemonSet" ? rooms[at] : best(rooms, fits)) ?? best(rooms, () => true)
    if (room === undefined) throw new Error("the planned cluster has no nodes")
    room.cpuMillis -= resources.cpuRequestMillis
    room.memoryMib -= resources.memoryRequestMib
    room.gpus -= wanted
    room.pods--
    pods++
    return { node: room.node, address: addressOf(pods) }
  }
}

const best = (rooms: ReadonlyArray<Room>, fits: (room: Room) => boolean): Room | undefined => {
  let found: Room | undefined
  for (const room of rooms) {
    if (fits(room) && (found === undefined || room.cpuMillis > found.cpuMillis)) found = room
  }
  return found
}

/** Returns addresses from 10.2.0.1 upwards. */
const addressOf = (number: number): string => {
  const block = Math.floor(number / 250)
  return `10.${2 + Math.floor(block / 250)}.${block % 250}.${1 + (number % 250)}`
}

/** Returns the number of nodes that the workloads need. */
export const nodesFor = (sized: ReadonlyArray<SizedTemplate>, cloud: Cloud) => {
  const plain = sized.filter(({ template }) => template.resources.gpus === undefined)
  const sum = (of: (template: Template) => number): number =>
    plain.reduce((all, { pods, template }) => all + pods * of(template), 0)
  const { cpuMillis, memoryMib } = cloud.large
  const ordinary = Math.max(
    1,
    sum(() => 1) / (PODS_PER_NODE * FILL),
    sum(({ resources }) => resources.cpuRequestMillis) / ((cpuMillis - RESERVED_CPU_MILLIS) * FILL),
    sum(({ resources }) => resources.memoryRequestMib) / ((memoryMib - RESERVED_MEMORY_MIB) * FILL)
  )
  const gpus = sized.reduce((all, { pods, template }) => all + pods * (template.resources.gpus ?? 0), 0)
  return { ordinary: Math.ceil(ordinary), accelerated: Math.ceil(gpus / cloud.gpuMachine.gpus) }
}
