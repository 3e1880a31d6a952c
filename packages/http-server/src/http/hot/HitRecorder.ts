/**
 * Writes audit, log, metrics and the last use of keys for requests of the fast path, in batches after their replies.
 */
import { Authenticator } from "@quarterdeck/keys/Authenticator"
import type { Principal } from "@quarterdeck/keys/Principal"
import { Cause, Effect, Exit, Metric } from "effect"
import { RefusalLines } from "../../limits/RefusalLog.ts"
import * as AccessLog from "../audit/AccessLog.ts"
import { AuditTrail } from "../audit/AuditTrail.ts"
import type { RequestRecord } from "../request/RequestRecord.ts"

export const hits = Metric.counter("quarterdeck_hot_reads_total", {
  description: "Requests for a list that were answered from the reply cache",
  incremental: true
})

export const pages = Metric.counter("quarterdeck_hot_pages_total", {
  description: "Requests for a list whose page was made in one step for a recently authenticated caller",
  incremental: true
})

export const refusals = Metric.counter("quarterdeck_hot_refusals_total", {
  description:
    "Requests for a list that were refused on the fast path, because the same request was refused a moment before",
  incremental: true
})

/** A request that the fast path answered. */
export interface Answered {
  /**
   * `again`: by a cached reply; `made`: by a page that was made in one step; `refused`: by a refusal, which the audit
   * already has.
   */
  readonly by: "again" | "made" | "refused"
  readonly record: RequestRecord
  readonly status: number
  readonly durationMs: number
}

export interface HitRecorder {
  /** Adds an answered request to the batch, which is recorded after the current event loop iteration. */
  readonly add: (answered: Answered) => void
  /** Records the batch now. */
  readonly flush: () => void
}

/** Maximum size of a batch. The request that fills the batch records it synchronously. */
const MAX_NOTED = 1_000

/** Makes the recorder. The batch is recorded when the scope closes. */
export const make = Effect.gen(function* () {
  const authenticator = yield* Authenticator
  const trail = yield* AuditTrail
  const refusalLog = yield* RefusalLines
  const services = yield* Effect.context<never>()
  let noted: Array<Answered> = []

  const tell = Effect.fnUntraced(function* (answered: ReadonlyArray<Answered>) {
    for (const [counter, counted] of COUNTERS)
      yield* Metric.update(counter, answered.filter(({ by }) => by === counted).length)
    for (const user of usersOf(answered)) yield* authenticator.noteUse(user)
    for (const { by, durationMs, record, status } of answered) {
      if (by !== "refused") yield* trail.end(record, "GET", status)
      yield* AccessLog.write("GET", status, record, durationMs, refusalLog)
    }
  })

  const flush = (): void => {
    if (noted.length === 0) return
    const answered = noted
    noted = []
    const exit = Effect.runSyncExitWith(services)(tell(answered))
    if (Exit.isFailure(exit))
      Effect.runForkWith(services)(
        Effect.logError("could not record requests in audit, log and metrics", Cause.squash(exit.cause))
      )
  }

  const recorder: HitRecorder = {
    add: (answered) => {
      if (noted.length === 0) setImmediate(flush)
      noted.push(answered)
      if (noted.length >= MAX_NOTED) flush()
    },
    flush
  }
  yield* Effect.addFinalizer(() => Effect.sync(flush))
  return recorder
})

const COUNTERS = [
  [hits, "again"],
  [pages, "made"],
  [refusals, "refused"]
] as const

/** Returns the distinct callers by key. All requests of a batch count as one use, and refused requests as none. */
const usersOf = (answered: ReadonlyArray<Answered>) => {
  const users = new Map<string, Principal["Service"]>()
  for (const { by, record } of answered) {
    const { user } = record
    if (by !== "refused" && user !== undefined) users.set(user.keyId, user)
  }
  return users.values()
}
