/**
 * Writes decisions into the audit: mutations before they are done, denials singly or folded, reads folded.
 */
import { DiskReserve } from "@quarterdeck/sqlite-thread"
import { Clock, Context, DateTime, Duration, Effect, Layer, Metric, Redacted, type Scope } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { AuditFacts } from "../AuditEvent.ts"
import * as Folds from "./AuditFolds.ts"
import { HEAD_FILE, parse, print } from "./AuditHead.ts"
import { AuditKey } from "./AuditKey.ts"
import { AuditStore, AuditStoreError } from "./AuditStore.ts"
import type { AuditUsage } from "./AuditProtocol.ts"
import type { Link } from "./Chain.ts"
import { replaceFile } from "./ReplaceFile.ts"

/**
 * What the audit keeps, for how long, and how much of it.
 *
 * **Shape** `denied`: mutations and denials; `all`: reads too. Denials take at most half of `maxBytes`, everything else the
 * other half.
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

/** How often the head is renewed, and what could not be written is tried again. */
const TICK = "1 second"
const FOLD_MS = 60_000
const PRUNE_MS = 3_600_000
/** Events that wait for the store. When more come, the oldest are dropped and counted. */
const MAX_PENDING = 1_000
/** While so many events wait, denials are folded, so that they displace no outcome of a change. */
const MAX_PENDING_DENIALS = 500

const eventsTotal = Metric.counter("quarterdeck_audit_events_total", {
  description: "Events written into the audit, by decision",
  incremental: true
})
const failuresTotal = Metric.counter("quarterdeck_audit_failures_total", {
  description: "Writes that the audit did not take",
  incremental: true
})
const pendingGauge = Metric.gauge("quarterdeck_audit_pending_events", {
  description: "Events that wait for the audit to take them"
})
const droppedTotal = Metric.counter("quarterdeck_audit_dropped_events_total", {
  description: "Events that were counted but not written, by decision: their share of audit.maxBytes was full",
  incremental: true
})
const bytesGauge = Metric.gauge("quarterdeck_audit_bytes", {
  description: "Bytes of the audit that are taken, by share: denials, others"
})
const maxBytesGauge = Metric.gauge("quarterdeck_audit_share_max_bytes", {
  description: "Bytes that each of the two shares may take: half of audit.maxBytes"
})
const alarmGauge = Metric.gauge("quarterdeck_audit_alarm", {
  description: "1 while the audit is not the one that its signed head tells of"
})

/** How full the audit is. **Units** bytes. **Shape** each of the two shares may take `shareBytes`. */
export interface Fullness extends AuditUsage {
  readonly shareBytes: number
  readonly isFull: boolean
}

export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Writes an event; once it returns, the event survives a power cut. **Errors** `AuditStoreError`: it is not there. */
    readonly write: (event: AuditFacts) => Effect.Effect<void, AuditStoreError>
    /** Writes what is done already, and tries again where the store does not take it. */
    readonly note: (event: AuditFacts) => Effect.Effect<void>
    /** Writes a denial: singly up to 10 a minute a key, 1 an anonymous address and 600 in all. Further ones are folded. */
    readonly deny: (event: AuditFacts) => Effect.Effect<void>
    /** How much of the audit is taken, and whether changes are refused because it, or the disk, is full. **Limits** no I/O. */
    readonly fullness: Effect.Effect<Fullness>
    /** Whether the settings ask for reads to be kept. */
    readonly keepsReads: boolean
    /** Keeps a read, if reads are kept, folded with its like of the same minute. **Limits** no I/O. */
    readonly read: (event: AuditFacts) => Effect.Effect<void>
  }
>()("@quarterdeck/keys/audit/AuditLog") {
  /**
   * Writes to the store of a directory, and keeps the signed head beside it.
   *
   * **Shape** a chain that its head does not know is an alarm, by log and metric, and its head is left as it is: it is the
   * proof.
   */
  static readonly layer = (options: {
    readonly directory: string
  }): Layer.Layer<AuditLog, never, AuditStore | AuditKey> => Layer.effect(AuditLog, make(options.directory))
}

const make = Effect.fnUntraced(function* (
  directory: string
): Effect.fn.Return<AuditLog["Service"], never, AuditStore | AuditKey | Scope.Scope> {
  const store = yield* AuditStore
  const settings = yield* AuditSettings
  const folds = Folds.make()
  const renewHead = yield* headOf(directory, store)
  const reserve = yield* DiskReserve.CurrentReserve
  const shareBytes = settings.maxBytes / 2
  let pending: ReadonlyArray<AuditFacts> = []
  let isPostponing = false
  // A rate knows of the first of something only if there was none before.
  yield* Metric.update(failuresTotal, 0)
  yield* Metric.update(pendingGauge, 0)
  yield* Metric.update(maxBytesGauge, shareBytes)
  for (const decision of ["allow", "deny"] as const) yield* countDropped(decision, 0)

  const append = Effect.fnUntraced(function* (events: ReadonlyArray<AuditFacts>, isRevocation = false) {
    if (events.length === 0) return
    yield* Effect.tapError(store.append(events, { isRevocation }), () => Metric.update(failuresTotal, 1))
    for (const { decision } of events) yield* Metric.update(Metric.withAttributes(eventsTotal, { decision }), 1)
  })

  /** Keeps events for the next tick; logged once until they are written. */
  const postpone = (events: ReadonlyArray<AuditFacts>) =>
    Effect.fnUntraced(function* (error: AuditStoreError) {
      const all = [...pending, ...events]
      pending = all.slice(-MAX_PENDING)
      for (const { count = 1, decision } of all.slice(0, -MAX_PENDING)) yield* countDropped(decision, count)
      yield* Metric.update(pendingGauge, pending.length)
      if (!isPostponing) yield* Effect.logError("events wait until the audit can be written", error)
      isPostponing = true
    })
  const write = Effect.fnUntraced(function* (event: AuditFacts) {
    const isRevocation = isOfRevocation(event)
    const { otherBytes } = yield* store.usage
    if (!isRevocation && otherBytes >= shareBytes) {
      yield* Metric.update(failuresTotal, 1)
      return yield* new AuditStoreError({
        operation: "append",
        problem: `its share of audit.maxBytes is full: ${otherBytes} of ${shareBytes} bytes`,
        isFull: true
      })
    }
    yield* append([event], isRevocation)
  })
  /** Writes denials and reads as far as their share has room. */
  const appendIfRoom = Effect.fnUntraced(function* (events: ReadonlyArray<AuditFacts>) {
    const usage = yield* store.usage
    const hasRoom = ({ decision }: AuditFacts) =>
      (decision === "deny" ? usage.deniedBytes : usage.otherBytes) < shareBytes
    for (const { count = 1, decision } of events.filter((event) => !hasRoom(event)))
      yield* countDropped(decision, count)
    yield* append(events.filter(hasRoom)).pipe(Effect.catch(postpone(events.filter(hasRoom))))
  })
  const note = (event: AuditFacts) => append([event], isOfRevocation(event)).pipe(Effect.catch(postpone([event])))
  const deny = (event: AuditFacts) =>
    Effect.suspend(() => {
      const isFolded = folds.isOver(event) || pending.length >= MAX_PENDING_DENIALS
      return isFolded ? Effect.sync(() => folds.add(event)) : appendIfRoom([event])
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
  // While the disk is full, or the store fails, events stay folded: their number is bounded there.
  const writeFolds = Effect.suspend(() =>
    reserve.isFull() || pending.length > 0 ? Effect.void : appendIfRoom(folds.take())
  )
  const tellUsage = Effect.gen(function* () {
    const { deniedBytes, otherBytes } = yield* store.usage
    yield* Metric.update(Metric.withAttributes(bytesGauge, { share: "denials" }), deniedBytes)
    yield* Metric.update(Metric.withAttributes(bytesGauge, { share: "others" }), otherBytes)
  })

  const prune = Effect.gen(function* () {
    const before = DateTime.subtractDuration(yield* DateTime.now, Duration.days(settings.retentionDays))
    const removed = yield* store.prune(before)
    if (removed !== undefined)
      yield* Effect.logInfo(`the audit was kept for ${settings.retentionDays} days up to event ${removed.number}`)
  }).pipe(Effect.catch((error) => Effect.logError("old events stay in the audit", error)))

  /** Runs an effect when so much time has passed since it last ran. */
  const every = (spanMs: number, lastMs: number, effect: Effect.Effect<void>) => {
    let dueMs = lastMs + spanMs
    return Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
      if (nowMs < dueMs) return Effect.void
      dueMs = nowMs + spanMs
      return effect
    })
  }
  const startMs = yield* Clock.currentTimeMillis
  const writeFoldsDue = every(FOLD_MS, startMs, writeFolds)
  const pruneDue = every(PRUNE_MS, startMs - PRUNE_MS, prune)
  const tick = Effect.all(
    [Effect.map(Clock.currentTimeMillis, folds.forget), writePending, writeFoldsDue, pruneDue, renewHead, tellUsage],
    {
      discard: true
    }
  )
  yield* Effect.addFinalizer(() => Effect.all([writePending, writeFolds, renewHead], { discard: true }))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(tick, Effect.sleep(TICK))))

  return AuditLog.of({
    write,
    note,
    deny,
    fullness: Effect.map(store.usage, (usage) => ({
      ...usage,
      shareBytes,
      isFull: reserve.isFull() || usage.otherBytes >= shareBytes
    })),
    keepsReads: settings.reads === "all",
    read: (event) => (settings.reads === "all" ? Effect.sync(() => folds.add(event)) : Effect.void)
  })
})

const countDropped = (decision: AuditFacts["decision"], count: number) =>
  Metric.update(Metric.withAttributes(droppedTotal, { decision }), count)

const ENDED: ReadonlySet<string> = new Set(["apiKeys", "ownKey", "session"])

/** Whether an event is about the end of a key or a session, which a full audit or disk must not hold up. */
const isOfRevocation = ({ decision, resource, verb }: AuditFacts): boolean =>
  verb === "delete" && decision === "allow" && ENDED.has(resource)

/**
 * Returns the effect that renews the head of a directory.
 *
 * **Errors** none: a failure is logged once until a head is written again, and leaves more events unproven.
 */
const headOf = Effect.fnUntraced(function* (directory: string, store: AuditStore["Service"]) {
  const key = Redacted.value(yield* AuditKey)
  const path = join(directory, HEAD_FILE)
  let isFailing = false
  const renew = Effect.gen(function* () {
    const link = yield* store.last
    const { epochMilliseconds } = yield* DateTime.now
    yield* Effect.tryPromise(() => replaceFile(path, print(key, link, epochMilliseconds)))
    isFailing = false
  }).pipe(
    Effect.catch((error) => {
      const log = isFailing ? Effect.void : Effect.logError("the head of the audit was not renewed", error)
      isFailing = true
      return log
    })
  )

  const problem = yield* problemOf(path, key, store).pipe(
    Effect.catch((error) => Effect.succeed(`it cannot be compared with its head: ${error.message}`))
  )
  yield* Metric.update(alarmGauge, problem === undefined ? 0 : 1)
  if (problem === undefined) return renew
  yield* Effect.logError(
    `the audit is not the one that ${path} tells of: ${problem}. quarterdeck audit verify names the row; the head is left as it is until both files are moved away`
  )
  return Effect.void
})

/** Tells what of the chain is not as the head says, if anything. */
const problemOf = Effect.fnUntraced(function* (path: string, key: Uint8Array, store: AuditStore["Service"]) {
  const text = yield* Effect.promise(() => readFile(path, "utf8").catch(() => undefined))
  const last: Link = yield* store.last
  if (text === undefined) return last.number === 0 ? undefined : "there is no such file"
  const head = parse(key, text)
  if (head === undefined) return "it was not signed with the key of this directory"
  if (last.number < head.number) return `events from ${last.number + 1} to ${head.number} are missing`
  const hash = last.number === head.number ? last.hash : yield* hashAt(store, head)
  return hash === head.hash ? undefined : `event ${head.number} is another`
})

const hashAt = (store: AuditStore["Service"], { hash, number }: Link) =>
  number === 0 ? Effect.succeed(hash) : store.hashOf(number)
