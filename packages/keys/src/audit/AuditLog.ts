/**
 * Records decisions in the audit: mutations before they run, denials singly or folded, reads folded.
 */
import { Clock, Context, DateTime, Duration, Effect, Layer, Metric, Redacted, type Scope } from "effect"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import type { AuditFacts } from "../AuditEvent.ts"
import { HEAD_FILE, parse, print } from "./AuditHead.ts"
import { AuditKey } from "./AuditKey.ts"
import { type AppendOptions, AuditStore, type AuditStoreError } from "./AuditStore.ts"
import { AuditSettings, type Fullness } from "./AuditWrites.ts"
import * as AuditWrites from "./AuditWrites.ts"
import type { Link } from "./Chain.ts"
import { replaceFile } from "./ReplaceFile.ts"

export { AuditSettings }

/** Interval at which the head is renewed and failed writes are retried. */
const TICK = "1 second"
const FOLD_MS = 60_000
const PRUNE_MS = 3_600_000
const alarmGauge = Metric.gauge("quarterdeck_audit_alarm", {
  description: "1 if the audit does not match its signed head"
})

export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Writes an event. Once it returns, the event survives a power cut. **Errors** `AuditStoreError`: nothing was written. */
    readonly write: (event: AuditFacts, options?: AppendOptions) => Effect.Effect<void, AuditStoreError>
    /** Writes an event of a call that has already run. A failed write is retried. */
    readonly note: (event: AuditFacts, options?: AppendOptions) => Effect.Effect<void>
    /** Writes a denial. Per minute, 10 per key, 1 per anonymous address and 600 in total are single; the rest are folded. */
    readonly deny: (event: AuditFacts) => Effect.Effect<void>
    /**
     * Folds a denial as `deny` does. Returns false, without any effect, if `deny` would write the denial singly.
     *
     * **Limits** no I/O.
     */
    readonly foldDenial: (event: AuditFacts) => Effect.Effect<boolean>
    /** Size of the audit, and whether changes are refused because the audit or the disk is full. **Limits** no I/O. */
    readonly fullness: Effect.Effect<Fullness>
    /** True if the settings request that reads are recorded. */
    readonly keepsReads: boolean
    /** Records a read, if reads are recorded, folded with similar reads of the same minute. **Limits** no I/O. */
    readonly read: (event: AuditFacts) => Effect.Effect<void>
  }
>()("@quarterdeck/keys/audit/AuditLog") {
  /**
   * Writes to the store of a directory, and renews the signed head beside the store.
   *
   * **Shape** if the chain does not match its head at start, an alarm is raised in the log and a metric. The head then stays
   * unchanged as evidence.
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
  const writes = yield* AuditWrites.make
  const renewHead = yield* headOf(directory, store)
  const prune = Effect.gen(function* () {
    const before = DateTime.subtractDuration(yield* DateTime.now, Duration.days(settings.retentionDays))
    const removed = yield* store.prune(before)
    if (removed !== undefined)
      yield* Effect.logInfo(
        `removed audit events up to ${removed.number}, which were older than ${settings.retentionDays} days`
      )
  }).pipe(Effect.catch((error) => Effect.logError("old audit events could not be removed; retrying in 1 hour", error)))

  /** Runs an effect if `spanMs` have passed since its last run. */
  const every = (spanMs: number, lastMs: number, effect: Effect.Effect<void>) => {
    let dueMs = lastMs + spanMs
    return Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
      if (nowMs < dueMs) return Effect.void
      dueMs = nowMs + spanMs
      return effect
    })
  }
  const startMs = yield* Clock.currentTimeMillis
  const writeFoldsDue = every(FOLD_MS, startMs, writes.writeFolds)
  const pruneDue = every(PRUNE_MS, startMs - PRUNE_MS, prune)
  const tick = Effect.all([writes.forget, writes.writePending, writeFoldsDue, pruneDue, renewHead, writes.tellUsage], {
    discard: true
  })
  yield* Effect.addFinalizer(() => Effect.all([writes.writePending, writes.writeFolds, renewHead], { discard: true }))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(tick, Effect.sleep(TICK))))

  const { deny, foldDenial, fullness, note, read, write } = writes
  return AuditLog.of({ write, note, deny, foldDenial, fullness, keepsReads: settings.reads === "all", read })
})

/**
 * Returns the effect that renews the signed head of the audit in a directory.
 *
 * **Errors** none. The first of consecutive failures is logged. Until the head is renewed, it does not protect new
 * events.
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
      const log = isFailing
        ? Effect.void
        : Effect.logError("the head of the audit could not be renewed; retrying every second", error)
      isFailing = true
      return log
    })
  )

  const problem = yield* problemOf(path, key, store).pipe(
    Effect.catch((error) => Effect.succeed(`the two cannot be compared: ${error.message}`))
  )
  yield* Metric.update(alarmGauge, problem === undefined ? 0 : 1)
  if (problem === undefined) return renew
  yield* Effect.logError(
    `the audit does not match its head ${path}: ${problem}. Run quarterdeck audit verify to find the row. The head is not renewed until both files are moved away`
  )
  return Effect.void
})

/** Compares the last row of the chain with the signed head. Returns the first difference, or `undefined`. */
const problemOf = Effect.fnUntraced(function* (path: string, key: Uint8Array, store: AuditStore["Service"]) {
  const text = yield* Effect.promise(() => readFile(path, "utf8").catch(() => undefined))
  const last: Link = yield* store.last
  if (text === undefined) return last.number === 0 ? undefined : "the head is missing"
  const head = parse(key, text)
  if (head === undefined) return "the head was not signed with the key of this directory"
  if (last.number < head.number) return `events from ${last.number + 1} to ${head.number} are missing`
  const hash = last.number === head.number ? last.hash : yield* hashAt(store, head)
  return hash === head.hash ? undefined : `event ${head.number} was changed`
})

const hashAt = (store: AuditStore["Service"], { hash, number }: Link) =>
  number === 0 ? Effect.succeed(hash) : store.hashOf(number)
