import type { MachineType } from "./Hardware.ts"

/** Resources that the kubelet and the system reserve. */
export const RESERVED_CPU_MILLIS = 80
export const RESERVED_MEMORY_MIB = 1_024
export const PODS_PER_NODE = 110

/** A node of a planned cluster. */
export interface NodePlan {
  readonly name: string
  readonly zone: string
  readonly machine: MachineType
  readonly spot: boolean
  /** Labels by which its cloud distinguishes spot from on-demand nodes. */
  readonly priceLabels: Readonly<Record<string, string>>
  /** Price per hour in US dollars. */
  readonly hourlyUsd: number
  readonly address: string
}
