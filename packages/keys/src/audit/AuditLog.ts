/**
 * Writes decisions into the audit: mutations before they are done, denials one by one or folded, reads folded.
 */
import { Clock, Context, DateTime, Duration, Effect, Layer, Metric, Redacted, type Scope } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { AuditFacts } from "../AuditEvent.ts"
import * as Folds from "./AuditFolds.ts"
import { HEAD_FILE, parse, print } from "./AuditHead.ts"
import { AuditKey } from "./AuditKey.ts"
import { AuditStore, type AuditStoreError } from "./AuditStore.ts"
import type { Link } from "./Chain.ts"
import { replaceFile } from "./ReplaceFile.ts"

/** What is kept, and for how long. **Shape** `denied`: mutations and denials; `all`: reads too. */
export const AuditSettings = Context.Reference<{ readonly reads: "denied" | "all"; readonly retentionDays: number }>(
  "@quarterdeck/keys/audit/AuditSettings",
  { defaultValue: () => ({ reads: "denied", retentionDays: 400 }) }
)

/** How often the head is renewed, and what could not be written is tried again. */
const TICK = "1 second"
const FOLD_MS = 60_000
const PRUNE_MS = 3_600_000
/** Outcomes that wait for the store; of more than these the log alone tells. */
const MAX_PENDING = 1_000

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
const alarmGauge = Metric.gauge("quarterdeck_audit_alarm", {
  description: "1 while the audit is not the one that its signed head tells of"
})

export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Writes an event; once it returns, the event survives a power cut. **Errors** `AuditStoreError`: it is not there. */
    readonly write: (event: AuditFacts) => Effect.Effect<void, AuditStoreError>
    /** Writes what is done already, and tries again where the store does not take it. */
    readonly note: (event: AuditFacts) => Effect.Effect<void>
    /** Writes a denial; more than 10 in a second of one address are folded. */
    readonly deny: (event: AuditFacts) => Effect.Effect<void>
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
  let pending: ReadonlyArray<AuditFacts> = []
  // A rate knows of the first of something only if there was none before.
  yield* Metric.update(failuresTotal, 0)
  yield* Metric.update(pendingGauge, 0)

  const append = Effect.fnUntraced(function* (events: ReadonlyArray<AuditFacts>) {
    if (events.length === 0) return
    yield* Effect.tapError(store.append(events), () => Metric.update(failuresTotal, 1))
    for (const { decision } of events) yield* Metric.update(Metric.withAttributes(eventsTotal, { decision }), 1)
  })

  /** Those that came last are kept: of the first ones the log tells. */
  const postpone = (events: ReadonlyArray<AuditFacts>) => (error: AuditStoreError) => {
    const all = [...pending, ...events]
    pending = all.slice(-MAX_PENDING)
    return Effect.andThen(
      Metric.update(pendingGauge, pending.length),
      Effect.logError("events of the audit wait for it", { waiting: pending.length, error: error.message })
    )
  }
  const note = (event: AuditFacts) => append([event]).pipe(Effect.catch(postpone([event])))
  const writePending = Effect.suspend(() => {
    const events = pending
    pending = []
    if (events.length === 0) return Effect.void
    return Effect.andThen(
      append(events).pipe(Effect.catch(postpone(events))),
      Effect.suspend(() => Metric.update(pendingGauge, pending.length))
    )
  })
  const writeFolds = Effect.suspend(() => {
    const events = folds.take()
    return append(events).pipe(Effect.catch(postpone(events)))
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
    [Effect.map(Clock.currentTimeMillis, folds.forget), writePending, writeFoldsDue, pruneDue, renewHead],
    {
      discard: true
    }
  )
  yield* Effect.addFinalizer(() => Effect.all([writePending, writeFolds, renewHead], { discard: true }))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(tick, Effect.sleep(TICK))))

  return AuditLog.of({
    write: (event) => append([event]),
    note,
    deny: (event) => (folds.isOver(event) ? Effect.sync(() => folds.add(event)) : note(event)),
    keepsReads: settings.reads === "all",
    read: (event) => (settings.reads === "all" ? Effect.sync(() => folds.add(event)) : Effect.void)
  })
})

/**
 * Gives what renews the head of a directory.
 *
 * **Errors** none: a head that cannot be written is logged, and leaves more unproven.
 */
const headOf = Effect.fnUntraced(function* (directory: string, store: AuditStore["Service"]) {
  const key = Redacted.value(yield* AuditKey)
  const path = join(directory, HEAD_FILE)
  const renew = Effect.gen(function* () {
    const link = yield* store.last
    const { epochMilliseconds } = yield* DateTime.now
    yield* Effect.tryPromise(() => replaceFile(path, print(key, link, epochMilliseconds)))
  }).pipe(Effect.catch((error) => Effect.logError("the head of the audit was not renewed", error)))

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
