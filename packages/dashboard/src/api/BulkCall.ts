/**
 * A call that changes many workloads, and its outcomes.
 */
import type { BulkActionResult } from "@quarterdeck/contract/WorkloadsGroup"
import type { Change } from "./ActionQueries.ts"
import type { WorkloadName } from "./WorkloadQueries.ts"

export type Outcome = BulkActionResult["outcomes"][number]

/** The end of a call. **Shape** `isWhole` is false if the server failed before the last outcome. */
export interface End {
  readonly isWhole: boolean
}

/** Maximum number of workloads in one call. */
export const MAX_TARGETS = 500

/** A call that changes workloads. **Shape** `key` is its `Idempotency-Key`: a repeated call has no second effect. */
export interface BulkCall {
  readonly change: Change
  readonly workloads: ReadonlyArray<WorkloadName>
  readonly key: string
}

/** Makes a random `Idempotency-Key`. It also works over plain HTTP, where `randomUUID` is missing. */
export const newKey = (): string =>
  `page-${Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")}`
