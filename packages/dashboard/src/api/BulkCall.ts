/**
 * A call that changes many workloads, and what is told of it.
 */
import type { BulkActionResult } from "@quarterdeck/contract/WorkloadsGroup"
import type { Change } from "./ActionQueries.ts"
import type { WorkloadName } from "./WorkloadQueries.ts"

/** What became of one workload. */
export type Outcome = BulkActionResult["outcomes"][number]

/** How the server ended. **Shape** `isWhole` unless it failed on its way. */
export interface End {
  readonly isWhole: boolean
}

/** The most workloads that one call takes. */
export const MAX_TARGETS = 500

/** A call that changes workloads. **Shape** `key` is its `Idempotency-Key`: the same again does nothing again. */
export interface BulkCall {
  readonly change: Change
  readonly workloads: ReadonlyArray<WorkloadName>
  readonly key: string
}

/** Draws a new `Idempotency-Key`. **Shape** also where the page has no secure context, which `randomUUID` wants. */
export const newKey = (): string =>
  `page-${Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("")}`
