/**
 * Exports the audit continuously to a sink, in the order of the chain. After a restart, the export resumes where it stopped.
 */
import { Clock, DateTime, Duration, Effect, Layer, Metric, Redacted, Schema } from "effect"
import { randomUUID } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { print } from "./AuditHead.ts"
import { AuditKey } from "./AuditKey.ts"
import { AuditStore, type ChainRow } from "./AuditStore.ts"
import { type Link, START } from "./Chain.ts"
import { replaceFile } from "./ReplaceFile.ts"

/** The file in the data directory that stores the export position. */
export const POSITION_FILE = "audit.exported"

/** Maximum number of events per delivery, and maximum bytes of their bodies. */
const MAX_EVENTS = 500
const MAX_BYTES = 1_024 * 1_024
const TICK = "1 second"
/** Maximum delay between two attempts. */
const MAX_BACKOFF_MS = 300_000

/**
 * Consecutive events of the chain, and the signed head at the last of them.
 *
 * **Shape** a retry has the same `id`, `events` and `head`. Each event and the head is a line of JSON. The hash of an
 * event is the SHA-256 of three parts, joined by line ends: its `id`, its `previousHash`, and `{…}`, where `…` is the
 * text of its line between `"id":"…",` and `,"hash"`.
 */
export interface Delivery {
  readonly id: string
  readonly events: ReadonlyArray<string>
  readonly head: string
}

/** A delivery to a sink failed. */
export class DeliveryFailed extends Schema.TaggedError<DeliveryFailed>()("DeliveryFailed", {
  problem: Schema.String
}) {
  override get message(): string {
    return this.problem
  }
}

/** Destination of the export. **Shape** `place` identifies the sink. A sink with a new `place` receives all stored events. */
export interface AuditSink {
  readonly place: string
  readonly deliver: (delivery: Delivery) => Effect.Effect<void, DeliveryFailed>
}

const Position = Schema.fromJsonString(
  Schema.Struct({
    place: Schema.String,
    number: Schema.Natural,
    hash: Schema.String,
    /** A started delivery. A retry after a restart has the same id, events and head. */
    pending: Schema.optionalKey(Schema.Struct({ id: Schema.String, last: Schema.Natural, atMs: Schema.Natural }))
  })
)
type Position = typeof Position.Type
const decodePosition = Schema.decodeUnknownOption(Position)
const encodePosition = Schema.encodeSync(Position)

const lagGauge = Metric.gauge("quarterdeck_audit_export_lag_seconds", {
  description: "Age of the oldest event that audit.export has not delivered yet; 0 when all are delivered"
})
const deliveredTotal = Metric.counter("quarterdeck_audit_export_events_total", {
  description: "Events that audit.export has delivered",
  incremental: true
})
const failuresTotal = Metric.counter("quarterdeck_audit_export_failures_total", {
  description: "Failed attempts of audit.export, which are retried",
  incremental: true
})

/**
 * Exports the audit of a directory to a sink.
 *
 * **Shape** delivery is at least once: after a crash, a delivery may be repeated with the same id. A failing sink never
 * delays the audit, and no stored event is skipped.
 *
 * **Limits** one delivery at a time, of up to 500 events or 1 MiB. A failed attempt is retried after 1 s; the delay doubles
 * up to 5 minutes.
 */
export const layer = (options: {
  readonly directory: string
  readonly sink: AuditSink
}): Layer.Layer<never, never, AuditStore | AuditKey> => Layer.effectDiscard(run(options))

const run = Effect.fnUntraced(function* ({
  directory,
  sink
}: {
  readonly directory: string
  readonly sink: AuditSink
}) {
  const store = yield* AuditStore
  const key = Redacted.value(yield* AuditKey)
  const path = join(directory, POSITION_FILE)
  let oldestMs: number | undefined
  let isFailing = false

  const save = (position: Position) => Effect.tryPromise(() => replaceFile(path, encodePosition(position)))

  /** Runs an effect until it succeeds. */
  const untilDone = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>): Effect.Effect<A, never, R> => {
    const attempt = (waitMs: number): Effect.Effect<A, never, R> =>
      effect.pipe(
        Effect.catch((error) =>
          Effect.gen(function* () {
            yield* Metric.update(failuresTotal, 1)
            if (!isFailing) yield* Effect.logError(`audit.export: ${what} failed; retrying`, error)
            isFailing = true
            yield* Effect.sleep(Duration.millis(waitMs))
            return yield* attempt(Math.min(2 * waitMs, MAX_BACKOFF_MS))
          })
        )
      )
    return attempt(1_000)
  }

  const step = Effect.fnUntraced(function* (position: Position) {
    const found = yield* untilDone(
      "reading the audit",
      store.range({ after: position.number, limit: MAX_EVENTS, maxBytes: MAX_BYTES })
    )
    const limit = position.pending?.last ?? Number.MAX_SAFE_INTEGER
    const rows = found.filter(({ number }) => number <= limit)
    const [first, last] = [rows[0], rows.at(-1)]
    oldestMs = (first ?? found[0])?.atMs
    if (first === undefined || last === undefined) {
      if (position.pending === undefined) yield* Effect.sleep(TICK)
      return { place: sink.place, number: position.number, hash: position.hash } satisfies Position
    }
    if (first.number > position.number + 1) {
      yield* Effect.logWarning(
        `audit.export: events ${position.number + 1} to ${first.number - 1} were removed before they were delivered`
      )
    }
    const pending = position.pending ?? {
      id: randomUUID(),
      last: last.number,
      atMs: DateTime.toEpochMillis(yield* DateTime.now)
    }
    yield* untilDone("keeping its position", save({ ...position, pending }))
    const head = `{"head":${print(key, last, pending.atMs).trimEnd()}}`
    yield* untilDone(`delivery to ${sink.place}`, sink.deliver({ id: pending.id, events: rows.map(lineOf), head }))
    if (isFailing) yield* Effect.logInfo(`audit.export: delivery to ${sink.place} works again`)
    isFailing = false
    yield* Metric.update(deliveredTotal, rows.length)
    const next: Position = { place: sink.place, ...linkOf(last) }
    yield* untilDone("keeping its position", save(next))
    return next
  })

  const loop = Effect.gen(function* () {
    let position = yield* untilDone("reading the audit", begin(path, sink.place))
    while (true) position = yield* step(position)
  })
  const tellLag = Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    Metric.update(lagGauge, oldestMs === undefined ? 0 : Math.max(0, nowMs - oldestMs) / 1_000)
  )
  yield* Metric.update(failuresTotal, 0)
  yield* Metric.update(deliveredTotal, 0)
  yield* Effect.forkScoped(loop)
  yield* Effect.forkScoped(Effect.forever(Effect.andThen(tellLag, Effect.sleep(TICK))))
})

/**
 * Returns the position after which the export continues: the stored one, or the start of the chain if the sink or the
 * chain has changed.
 */
const begin = Effect.fnUntraced(function* (path: string, place: string) {
  const store = yield* AuditStore
  const text = yield* Effect.orElseSucceed(
    Effect.tryPromise(() => readFile(path, "utf8")),
    () => ""
  )
  const start: Position = { place, ...START }
  const read = decodePosition(text)
  if (read._tag === "None" || read.value.place !== place) return start
  const last = yield* store.last
  const hash = read.value.number === 0 ? START.hash : yield* store.hashOf(read.value.number)
  if (last.number >= read.value.number && (hash === undefined || hash === read.value.hash)) return read.value
  yield* Effect.logWarning("audit.export: the audit was replaced; delivering all of its events")
  return start
})

const linkOf = ({ hash, number }: ChainRow): Link => ({ number, hash })

/** Prints an event as a line. The line contains the stored body unchanged, since the hash covers its bytes. */
const lineOf = ({ body, hash, number, previousHash }: ChainRow): string =>
  `{"id":"${number}",${body.slice(1, -1)},"hash":"${hash}","previousHash":"${previousHash}"}`
