/**
 * Writes decisions into the audit: mutations before they are done, denials singly or folded, reads folded.
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

/** How often the head is renewed, and what could not be written is tried again. */
const TICK = "1 second"
const FOLD_MS = 60_000
const PRUNE_MS = 3_600_000
const alarmGauge = Metric.gauge("quarterdeck_audit_alarm", {
  description: "1 while the audit is not the one that its signed head tells of"
})

export class AuditLog extends Context.Service<
  AuditLog,
  {
    /** Writes an event; once it returns, the event survives a power cut. **Errors** `AuditStoreError`: it is not there. */
    readonly write: (event: AuditFacts, options?: AppendOptions) => Effect.Effect<void, AuditStoreError>
    /** Writes what is done already, and tries again where the store does not take it. */
    readonly note: (event: AuditFacts, options?: AppendOptions) => Effect.Effect<void>
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
  const writes = yield* AuditWrites.make
  const renewHead = yield* headOf(directory, store)
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
  const writeFoldsDue = every(FOLD_MS, startMs, writes.writeFolds)
  const pruneDue = every(PRUNE_MS, startMs - PRUNE_MS, prune)
  const tick = Effect.all([writes.forget, writes.writePending, writeFoldsDue, pruneDue, renewHead, writes.tellUsage], {
    discard: true
  })
  yield* Effect.addFinalizer(() => Effect.all([writes.writePending, writes.writeFolds, renewHead], { discard: true }))
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(tick, Effect.sleep(TICK))))

  const { deny, fullness, note, read, write } = writes
  return AuditLog.of({ write, note, deny, fullness, keepsReads: settings.reads === "all", read })
})

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
