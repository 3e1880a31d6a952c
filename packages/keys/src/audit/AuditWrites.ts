/**
 * Writes events to the audit's store while the disk and the event's share of the audit have room.
 */
import { DiskReserve } from "@quarterdeck/sqlite-thread"
import { Clock, Context, Effect, Metric } from "effect"
import type { AuditFacts } from "../AuditEvent.ts"
import * as Folds from "./AuditFolds.ts"
import type { AuditUsage } from "./AuditProtocol.ts"
import { type AppendOptions, AuditStore, AuditStoreError } from "./AuditStore.ts"

/**
 * Settings of the audit: recorded events, retention and maximum size.
 *
 * **Shape** `denied`: records mutations and denials. `all`: also records reads. Denials may use half of `maxBytes`, all other
 * events the other half.
 */
export const AuditSettings = Context.Reference<{
  readonly reads: "denied" | "all"
  readonly retentionDays: number
  readonly maxBytes: number
}>("@quarterdeck/keys/audit/AuditSettings", {
  defaultValue: () => ({ reads: "denied", retentionDays: 400, maxBytes: DEFAULT_MAX_BYTES })
})

/** 10 GiB. */
const DEFAULT_MAX_BYTES = 10 * 1_024 ** 3

/** Maximum number of events that wait for the store. Beyond it, the oldest are dropped and counted. */
const MAX_PENDING = 1_000
/** While this many events wait, denials are folded, so that they do not displace the outcomes of changes. */
const MAX_PENDING_DENIALS = 500

const eventsTotal = Metric.counter("quarterdeck_audit_events_total", {
  description: "Events written into the audit, by decision",
  incremental: true
})
const failuresTotal = Metric.counter("quarterdeck_audit_failures_total", {
  description: "Failed or refused writes to the audit",
  incremental: true
})
const pendingGauge = Metric.gauge("quarterdeck_audit_pending_events", {
  description: "Events that wait to be written to the audit"
})
const droppedTotal = Metric.counter("quarterdeck_audit_dropped_events_total", {
  description:
    "Events that were counted but not written, by decision, because the queue or their share of audit.maxBytes was full",
  incremental: true
})
const bytesGauge = Metric.gauge("quarterdeck_audit_bytes", {
  description: "Size of the audit in bytes, by share: denials, others"
})
const maxBytesGauge = Metric.gauge("quarterdeck_audit_share_max_bytes", {
  description: "Bytes that each of the two shares may take: half of audit.maxBytes"
})
/** Size of the audit. **Units** bytes. **Shape** `shareBytes`: the maximum of each of the two shares. */
export interface Fullness extends AuditUsage {
  readonly shareBytes: number
  readonly isFull: boolean
}

/** Makes the queue of events that wait for the store. */
const makeQueue = Effect.gen(function* () {
  const store = yield* AuditStore
  const reserve = yield* DiskReserve.CurrentReserve
  let pending: ReadonlyArray<AuditFacts> = []
  let isPostponing = false
  // Counters start at 0, so that a rate query sees the first increment.
  yield* Metric.update(failuresTotal, 0)
  yield* Metric.update(pendingGauge, 0)
  for (const decision of ["allow", "deny"] as const) yield* countDropped(decision, 0)

  const append = Effect.fnUntraced(function* (events: ReadonlyArray<AuditFacts>, options?: AppendOptions) {
    if (events.length === 0) return
    yield* Effect.tapError(store.append(events, options), () => Metric.update(failuresTotal, 1))
    for (const { decision } of events) yield* Metric.update(Metric.withAttributes(eventsTotal, { decision }), 1)
  })

  /** Queues events for the next tick. Logs the first of consecutive failures. */
  const postpone = (events: ReadonlyArray<AuditFacts>) =>
    Effect.fnUntraced(function* (error: AuditStoreError) {
      const all = [...pending, ...events]
      pending = all.slice(-MAX_PENDING)
      for (const { count = 1, decision } of all.slice(0, -MAX_PENDING)) yield* countDropped(decision, count)
      yield* Metric.update(pendingGauge, pending.length)
      if (!isPostponing) yield* Effect.logError("the audit cannot be written; events are queued", error)
      isPostponing = true
    })
  const writePending = Effect.suspend(() => {
    const events = pending
    if (events.length === 0 || reserve.isFull()) return Effect.void
    pending = []
    const written = Effect.sync(() => {
      isPostponing = false
    })
    return Effect.andThen(
      append(events).pipe(Effect.andThen(written), Effect.catch(postpone(events))),
      Effect.suspend(() => Metric.update(pendingGauge, pending.length))
    )
  })
  return { append, postpone, writePending, waiting: () => pending.length }
})

/** Makes the writer of events. **Limits** 1,000 waiting events; `AuditFolds` bounds the folded ones. */
export const make = Effect.gen(function* () {
  const store = yield* AuditStore
  const settings = yield* AuditSettings
  const reserve = yield* DiskReserve.CurrentReserve
  const { append, postpone, waiting, writePending } = yield* makeQueue
  const folds = Folds.make()
  const shareBytes = settings.maxBytes / 2
  yield* Metric.update(maxBytesGauge, shareBytes)

  const write = Effect.fnUntraced(function* (event: AuditFacts, options: AppendOptions = {}) {
    const { otherBytes } = yield* store.usage
    if (options.isRevocation !== true && otherBytes >= shareBytes) {
      yield* Metric.update(failuresTotal, 1)
      return yield* new AuditStoreError({
        operation: "append",
        problem: `the share of audit.maxBytes for events other than denials is full: ${otherBytes} of ${shareBytes} bytes`,
        isFull: true
      })
    }
    yield* append([event], options)
  })
  /** Writes the denials and reads whose share has room, and counts the rest as dropped. */
  const appendIfRoom = Effect.fnUntraced(function* (events: ReadonlyArray<AuditFacts>) {
    const usage = yield* store.usage
    const hasRoom = ({ decision }: AuditFacts) =>
      (decision === "deny" ? usage.deniedBytes : usage.otherBytes) < shareBytes
    for (const { count = 1, decision } of events.filter((event) => !hasRoom(event)))
      yield* countDropped(decision, count)
    yield* append(events.filter(hasRoom)).pipe(Effect.catch(postpone(events.filter(hasRoom))))
  })
  const note = (event: AuditFacts, options?: AppendOptions) =>
    append([event], options).pipe(Effect.catch(postpone([event])))
  const deny = (event: AuditFacts) =>
    Effect.suspend(() => {
      const isFolded = folds.isOver(event) || waiting() >= MAX_PENDING_DENIALS
      return isFolded ? Effect.sync(() => folds.add(event)) : appendIfRoom([event])
    })
  const foldDenial = (event: AuditFacts) =>
    Effect.sync(() => {
      const isFolded = folds.exceeds(event) || waiting() >= MAX_PENDING_DENIALS
      if (isFolded) folds.add(event)
      return isFolded
    })
  // While the disk is full or the store fails, events stay in the folds, which bound their number.
  const writeFolds = Effect.suspend(() =>
    reserve.isFull() || waiting() > 0 ? Effect.void : appendIfRoom(folds.take())
  )
  const tellUsage = Effect.gen(function* () {
    const { deniedBytes, otherBytes } = yield* store.usage
    yield* Metric.update(Metric.withAttributes(bytesGauge, { share: "denials" }), deniedBytes)
    yield* Metric.update(Metric.withAttributes(bytesGauge, { share: "others" }), otherBytes)
  })

  const fullness = Effect.map(store.usage, (usage): Fullness => ({
    ...usage,
    shareBytes,
    isFull: reserve.isFull() || usage.otherBytes >= shareBytes
  }))
  const read = (event: AuditFacts) => (settings.reads === "all" ? Effect.sync(() => folds.add(event)) : Effect.void)
  const forget = Effect.map(Clock.currentTimeMillis, folds.forget)
  return { write, note, deny, foldDenial, read, fullness, writePending, writeFolds, forget, tellUsage }
})

const countDropped = (decision: AuditFacts["decision"], count: number) =>
  Metric.update(Metric.withAttributes(droppedTotal, { decision }), count)
