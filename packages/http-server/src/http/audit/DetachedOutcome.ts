/**
 * Outcome of work that completes even if its caller disconnects.
 */
import type { Effect } from "effect"
import * as RequestRecord from "../request/RequestRecord.ts"

const write = RequestRecord.writer("outcome", "isLasting")

/** Records the status of the completed work. The audit uses this status if the caller disconnects before the reply. */
export const settle = (status: number): Effect.Effect<void> => write({ outcome: status })

/** Records that the work continues after the reply has started. The work itself then writes its outcome to the audit. */
export const outlast: Effect.Effect<void> = write({ isLasting: true })
