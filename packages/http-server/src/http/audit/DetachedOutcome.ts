/**
 * Outcome of work that is done to its end, whether or not its caller waits for the reply.
 */
import type { Effect } from "effect"
import * as RequestRecord from "../request/RequestRecord.ts"

const write = RequestRecord.writer("outcome", "isLasting")

/** Notes the status that the reply has, or would have had if the caller had waited. */
export const settle = (status: number): Effect.Effect<void> => write({ outcome: status })

/** Notes that the work continues behind the beginning of the reply. The work itself then ends the audit of its request. */
export const outlast: Effect.Effect<void> = write({ isLasting: true })
