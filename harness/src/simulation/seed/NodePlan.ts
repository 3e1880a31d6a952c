/** A node as it is planned, and what of it pods cannot have. */
import type { MachineType } from "./Hardware.ts"

/** What the kubelet and the system keep for themselves. */
export const RESERVED_CPU_MILLIS = 80
export const RESERVED_MEMORY_MIB = 1_024
export const PODS_PER_NODE = 110

export interface NodePlan {
  readonly name: string
  readonly zone: string
  readonly machine: MachineType
  readonly spot: boolean
  /** The labels by which its cloud tells spot from on-demand. */
  readonly priceLabels: Readonly<Record<string, string>>
  /** What an hour of it costs, in US dollars. */
  readonly hourlyUsd: number
  readonly address: string
}
