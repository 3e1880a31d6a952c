/**
 * Keeps the audit in a SQLite file of its own: rows are appended, read, and removed from the old end alone.
 */
import { DiskReserve, SqliteThread } from "@quarterdeck/sqlite-thread"
import { Context, DateTime, Effect, Layer, Redacted, Schema } from "effect"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { AuditEvent, AuditFacts } from "../AuditEvent.ts"
import { AuditKey } from "./AuditKey.ts"
import type { AuditQuery, AuditUsage, Call, LifeCall, Outcome, ReadCall, StatementCall } from "./AuditProtocol.ts"
import { type Link, sign } from "./Chain.ts"

/** The file's name in the data directory. */
export const FILE_NAME = "audit.sqlite"

const CALL_TIMEOUT_MS = 10_000
/** A migration reads every row once. */
const OPEN_TIMEOUT_MS = 600_000
/** Reads that may wait for the thread that reads. */
const MAX_READS = 32
/** Rows that one list reads: 20 to 60 ms of the thread that reads. */
const SCAN = 5_000

/** The audit could not be written or read (HTTP 503 `audit_unavailable`). */
export class AuditStoreError extends Schema.TaggedError<AuditStoreError>()("AuditStoreError", {
  operation: Schema.String,
  problem: Schema.String,
  /** The disk is full, or the share of `audit.maxBytes` for what is not a denial. Keys can still be revoked. */
  isFull: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    return `the audit could not ${this.operation}: ${this.problem}`
  }
}

/** A page to read. **Shape** the last event of the chain first; `before` is the number of the last event seen. */
export interface AuditPage {
  readonly query: AuditQuery
  readonly limit: number
  readonly before?: number
}

/** An event with its number in the chain. */
export interface Kept {
  readonly number: number
  readonly event: AuditEvent
}

/** The events of a page. **Shape** `before` is where the next page begins, absent at the end. `kept` may be empty before. */
export interface Listed {
  readonly kept: ReadonlyArray<Kept>
  readonly before?: number
}

/** An event as the chain has it: the hash covers `body` byte by byte. */
export interface ChainRow extends Link {
  readonly atMs: number
  readonly previousHash: string
  readonly body: string
}

/**
 * How events are appended.
 *
 * **Shape** `isRevocation`: the events are of a key or session that is about to end or has ended. They may use the disk
 * reserve, so a request that may still be refused has no such events.
 */
export interface AppendOptions {
  readonly isRevocation?: boolean
}

export class AuditStore extends Context.Service<
  AuditStore,
  {
    /** Appends events, all or none, and gives the chain's last link. Once it returns they survive a power cut. */
    readonly append: (
      events: ReadonlyArray<AuditFacts>,
      options?: AppendOptions
    ) => Effect.Effect<Link, AuditStoreError>
    /** Lists events, the last of the chain first. **Limits** reads 5,000 rows; `before` says where to go on. */
    readonly list: (page: AuditPage) => Effect.Effect<Listed, AuditStoreError>
    /** Reads rows behind a number in the chain's order, at most `limit`, ending at the one that reaches `maxBytes`. */
    readonly range: (
      call: Omit<Extract<ReadCall, { readonly operation: "range" }>, "operation">
    ) => Effect.Effect<ReadonlyArray<ChainRow>, AuditStoreError>
    /** How much of the audit is taken. **Limits** no I/O. */
    readonly usage: Effect.Effect<AuditUsage>
    /** The chain's last link. */
    readonly last: Effect.Effect<Link, AuditStoreError>
    /** Fails where an event could not be appended now, and appends none. **Limits** writes to the disk. */
    readonly probe: Effect.Effect<void, AuditStoreError>
    /** The hash of a row. **Shape** `undefined` if there is none. */
    readonly hashOf: (number: number) => Effect.Effect<string | undefined, AuditStoreError>
    /** Removes the oldest events up to an instant, and signs where the rest begins. Gives how far it removed. */
    readonly prune: (before: DateTime.Utc) => Effect.Effect<Link | undefined, AuditStoreError>
  }
>()("@quarterdeck/keys/audit/AuditStore") {
  /**
   * Opens the audit in a directory, and makes its file where there is none.
   *
   * **Limits** a thread that writes and one that reads, so that no read holds up a write; the file has mode 0600. One
   * program at a time.
   */
  static readonly layerSqlite = (options: {
    readonly directory: string
  }): Layer.Layer<AuditStore, AuditStoreError, AuditKey> => Layer.effect(AuditStore, make(options))
}

const startThread = (): Worker =>
  new Worker(new URL(import.meta.resolve("@quarterdeck/keys/audit/AuditWorker")), { execArgv: [] })

const LinkRow = Schema.Struct({ number: Schema.Int, hash: Schema.String })
const TailRow = Schema.Struct({ ...LinkRow.fields, deniedBytes: Schema.Int, otherBytes: Schema.Int })
const StoredRow = Schema.Struct({
  ...LinkRow.fields,
  atMs: Schema.Int,
  previousHash: Schema.String,
  body: Schema.String
})
const EventRow = Schema.Struct({ ...StoredRow.fields, body: Schema.fromJsonString(AuditFacts) })
const ListRow = Schema.Struct({ rows: Schema.Array(EventRow), before: Schema.optionalKey(Schema.Int) })

const encodeFacts = Schema.encodeSync(Schema.fromJsonString(AuditFacts))
const decodeList = Schema.decodeUnknownEffect(Schema.Tuple([ListRow]))
const decodeStored = Schema.decodeUnknownEffect(Schema.Array(StoredRow))
const decodeTail = Schema.decodeUnknownEffect(Schema.Tuple([TailRow]))
const decodeLinks = Schema.decodeUnknownEffect(Schema.Array(LinkRow))

/** Starts a thread, and opens the file in it until the scope ends. */
const connect = Effect.fnUntraced(function* (
  name: string,
  open: Extract<LifeCall, { readonly operation: "open" }>,
  maxWaiting?: number
) {
  const thread = yield* SqliteThread.make<Call, Outcome>({
    name,
    start: startThread,
    timeoutMs: ({ operation }) => (operation === "open" ? OPEN_TIMEOUT_MS : CALL_TIMEOUT_MS),
    ...(maxWaiting === undefined ? {} : { maxWaiting })
  })
  const reserve = yield* DiskReserve.CurrentReserve
  const call = Effect.fnUntraced(function* (asked: Call, use: DiskReserve.Use = "read") {
    const { operation } = asked
    const sent = thread
      .call(asked)
      .pipe(Effect.mapError(({ message: problem }) => new AuditStoreError({ operation, problem })))
    const outcome = yield* DiskReserve.send(reserve, use, sent)
    if (outcome.outcome === "done") return outcome.rows
    return yield* new AuditStoreError({ operation, problem: outcome.message, isFull: outcome.isDiskFull })
  })
  yield* call(open, "revoke").pipe(
    Effect.mapError(
      ({ operation, problem }) => new AuditStoreError({ operation, problem: `${problem} (${open.path})` })
    )
  )
  yield* Effect.addFinalizer(() =>
    Effect.ignore(call({ operation: "close" }), { log: "Warn", message: `${name}: not closed in order` })
  )
  return call
})

const make = Effect.fnUntraced(function* ({ directory }: { readonly directory: string }) {
  const key = yield* AuditKey
  const path = join(directory, FILE_NAME)
  const write = yield* connect("the audit", { operation: "open", path, access: "write" })
  const read = yield* connect("the audit's reads", { operation: "open", path, access: "read" }, MAX_READS)
  const corrupt = (operation: string) => () => new AuditStoreError({ operation, problem: "a row cannot be read" })
  const links = (asked: StatementCall) =>
    Effect.flatMap(write(asked), (rows) => Effect.mapError(decodeLinks(rows), corrupt(asked.operation)))
  /** Sends a call that gives the chain's end, and keeps the usage that comes with it. */
  const tailAfter = Effect.fnUntraced(function* (asked: StatementCall, use: DiskReserve.Use) {
    const [{ deniedBytes, hash, number, otherBytes }] = yield* Effect.mapError(
      decodeTail(yield* write(asked, use)),
      corrupt(asked.operation)
    )
    usage = { deniedBytes, otherBytes }
    return { number, hash } satisfies Link
  })
  let usage: AuditUsage = { deniedBytes: 0, otherBytes: 0 }
  yield* tailAfter({ operation: "last" }, "read")

  return AuditStore.of({
    append: (events, { isRevocation = false } = {}) =>
      tailAfter(
        {
          operation: "append",
          bodies: events.map((event) => ({
            atMs: DateTime.toEpochMillis(event.at),
            body: encodeFacts(event),
            isDenial: event.decision === "deny"
          }))
        },
        isRevocation ? "revoke" : "write"
      ),
    list: Effect.fnUntraced(function* ({ before, limit, query }) {
      const answer = yield* read({
        operation: "list",
        query,
        limit,
        scan: SCAN,
        ...(before === undefined ? {} : { before })
      })
      const [listed] = yield* Effect.mapError(decodeList(answer), corrupt("list"))
      const kept = listed.rows.map(({ body, hash, number, previousHash }): Kept => ({
        number,
        event: { id: String(number), ...body, hash, previousHash }
      }))
      return listed.before === undefined ? { kept } : { kept, before: listed.before }
    }),
    range: (asked) =>
      Effect.flatMap(read({ operation: "range", ...asked }), (rows) =>
        Effect.mapError(decodeStored(rows), corrupt("range"))
      ),
    usage: Effect.sync(() => usage),
    last: tailAfter({ operation: "last" }, "read"),
    probe: Effect.asVoid(write({ operation: "probe" }, "write")),
    hashOf: (number) => Effect.map(links({ operation: "find", number }), ([row]) => row?.hash),
    prune: Effect.fnUntraced(function* (before) {
      const [link] = yield* links({ operation: "lastBefore", beforeMs: DateTime.toEpochMillis(before) })
      if (link === undefined) return undefined
      const atMs = DateTime.toEpochMillis(yield* DateTime.now)
      const signature = sign(Redacted.value(key), "checkpoint", link, atMs)
      yield* tailAfter({ operation: "prune", ...link, atMs, signature }, "write")
      return link
    })
  })
})
