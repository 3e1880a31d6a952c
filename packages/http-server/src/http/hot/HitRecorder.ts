/**
 * Tells audit, log, metrics and the last use of keys of what the hot way answered, beside the requests.
 */
import { Authenticator } from "@quarterdeck/keys/Authenticator"
import type { Principal } from "@quarterdeck/keys/Principal"
import { Cause, Effect, Exit, Metric } from "effect"
import type { RefusalLog } from "../../limits/RefusalLog.ts"
import * as AccessLog from "../audit/AccessLog.ts"
import { AuditTrail } from "../audit/AuditTrail.ts"
import type { RequestRecord } from "../request/RequestRecord.ts"

export const hits = Metric.counter("quarterdeck_hot_reads_total", {
  description: "Requests for a list that were answered by a reply of a moment ago",
  incremental: true
})

export const pages = Metric.counter("quarterdeck_hot_pages_total", {
  description: "Requests for a list that were answered in one step, for a caller of a moment ago",
  incremental: true
})

/** What is told later. */
export interface Answered {
  /** By a reply of a moment ago, or by one that was made for it in one step. */
  readonly by: "again" | "made"
  readonly record: RequestRecord
  readonly status: number
  readonly durationMs: number
}

export interface HitRecorder {
  /** Notes what was answered, to be told once the requests at hand are. */
  readonly add: (answered: Answered) => void
  /** Tells what was noted until now. */
  readonly flush: () => void
}

/** So many are told at once; the next one waits for them. */
const MAX_NOTED = 1_000

/** Nobody whom the hot way answers is refused. */
const NO_REFUSALS: RefusalLog = { hasLine: () => true }

/** Makes the recorder for the life of the scope; what is still noted at its end is told then. */
export const make = Effect.gen(function* () {
  const authenticator = yield* Authenticator
  const trail = yield* AuditTrail
  const services = yield* Effect.context<never>()
  let noted: Array<Answered> = []

  const tell = Effect.fnUntraced(function* (answered: ReadonlyArray<Answered>) {
    const again = answered.filter(({ by }) => by === "again").length
    yield* Metric.update(hits, again)
    yield* Metric.update(pages, answered.length - again)
    for (const user of usersOf(answered)) yield* authenticator.noteUse(user)
    for (const { durationMs, record, status } of answered) {
      yield* trail.end(record, "GET", status)
      yield* AccessLog.write("GET", status, record, durationMs, NO_REFUSALS)
    }
  })

  const flush = (): void => {
    if (noted.length === 0) return
    const answered = noted
    noted = []
    const exit = Effect.runSyncExitWith(services)(tell(answered))
    if (Exit.isFailure(exit))
      Effect.runForkWith(services)(Effect.logError("reads were not told of", Cause.squash(exit.cause)))
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

/** Finds the callers, each key once: all of them use it now. */
const usersOf = (answered: ReadonlyArray<Answered>) => {
  const users = new Map<string, Principal["Service"]>()
  for (const { user } of answered.map(({ record }) => record)) if (user !== undefined) users.set(user.keyId, user)
  return users.values()
}
