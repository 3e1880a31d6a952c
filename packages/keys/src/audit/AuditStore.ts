/**
 * Stores the audit in a SQLite file of its own. Rows are appended and read; only the oldest rows are ever removed.
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
/** Longer than other calls, since a migration reads every row. */
const OPEN_TIMEOUT_MS = 600_000
/** Maximum number of reads that wait for the reading thread. */
const MAX_READS = 32
/** Maximum number of rows that are read to count denials. */
const MAX_COUNTED = 200_000
/** Maximum number of rows that one list reads, so that a list does not occupy the reading thread for long. */
const SCAN = 5_000

/** The audit could not be written or read (HTTP 503 `audit_unavailable`). */
export class AuditStoreError extends Schema.TaggedError<AuditStoreError>()("AuditStoreError", {
  operation: Schema.String,
  problem: Schema.String,
  /** True if the disk, or the share of `audit.maxBytes` for events other than denials, is full. Keys can still be revoked. */
  isFull: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    return `the audit could not ${this.operation}: ${this.problem}`
  }
}

/** A page to read, newest event first. **Shape** `before`: the `before` of the previous page; absent for the first page. */
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

/** The events of a page. **Shape** `before`: position of the next page, absent on the last page. Any page may be empty. */
export interface Listed {
  readonly kept: ReadonlyArray<Kept>
  readonly before?: number
}

/** A stored row of the chain. The hash covers the bytes of `body`. */
export interface ChainRow extends Link {
  readonly atMs: number
  readonly previousHash: string
  readonly body: string
}

/**
 * Options of an append.
 *
 * **Shape** `isRevocation`: the events record the revocation of a key or the end of a session. They may use the disk
 * reserve, so set it only once the request can no longer be refused.
 */
export interface AppendOptions {
  readonly isRevocation?: boolean
}

export class AuditStore extends Context.Service<
  AuditStore,
  {
    /**
     * Appends events, all or none. Returns the number and hash of the last row. Once it returns, the events survive a
     * power cut.
     */
    readonly append: (
      events: ReadonlyArray<AuditFacts>,
      options?: AppendOptions
    ) => Effect.Effect<Link, AuditStoreError>
    /** Lists events, newest first. **Limits** reads at most 5,000 rows; the returned `before` continues the list. */
    readonly list: (page: AuditPage) => Effect.Effect<Listed, AuditStoreError>
    /**
     * Counts the denials since an instant, folded ones included.
     *
     * **Limits** reads at most the newest {@link MAX_COUNTED} rows, in the thread that reads.
     */
    readonly denialsSince: (since: DateTime.Utc) => Effect.Effect<number, AuditStoreError>
    /** Reads the rows after a number, in order, at most `limit`. Ends with the row that reaches `maxBytes`. */
    readonly range: (
      call: Omit<Extract<ReadCall, { readonly operation: "range" }>, "operation">
    ) => Effect.Effect<ReadonlyArray<ChainRow>, AuditStoreError>
    /** Size of the audit. **Limits** no I/O. */
    readonly usage: Effect.Effect<AuditUsage>
    /** Number and hash of the last row of the chain. */
    readonly last: Effect.Effect<Link, AuditStoreError>
    /** Fails if an event could not be appended now. Appends nothing. **Limits** writes to the disk. */
    readonly probe: Effect.Effect<void, AuditStoreError>
    /** Returns the hash of a row, or `undefined` if there is no such row. */
    readonly hashOf: (number: number) => Effect.Effect<string | undefined, AuditStoreError>
    /**
     * Removes the events before an instant and signs a checkpoint. Returns the number and hash of the last removed row,
     * if any.
     */
    readonly prune: (before: DateTime.Utc) => Effect.Effect<Link | undefined, AuditStoreError>
  }
>()("@quarterdeck/keys/audit/AuditStore") {
  /**
   * Opens the audit in a directory, and creates its file if it is missing.
   *
   * **Limits** one thread writes and another reads, so reads do not delay writes. The file has mode 0600. Only one process
   * may open the audit at a time.
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

const DenialsRow = Schema.Struct({ denials: Schema.Natural })

const encodeFacts = Schema.encodeSync(Schema.fromJsonString(AuditFacts))
const decodeList = Schema.decodeUnknownEffect(Schema.Tuple([ListRow]))
const decodeDenials = Schema.decodeUnknownEffect(Schema.Tuple([DenialsRow]))
const decodeStored = Schema.decodeUnknownEffect(Schema.Array(StoredRow))
const decodeTail = Schema.decodeUnknownEffect(Schema.Tuple([TailRow]))
const decodeLinks = Schema.decodeUnknownEffect(Schema.Array(LinkRow))

/** Starts a thread and opens the file in it. The end of the scope closes both. */
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
    Effect.ignore(call({ operation: "close" }), { log: "Warn", message: `${name} could not be closed cleanly` })
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
  /** Sends a call that returns the end of the chain, and stores the usage that the reply contains. */
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
    denialsSince: Effect.fnUntraced(function* (since) {
      const sinceMs = DateTime.toEpochMillis(since)
      const answer = yield* read({ operation: "denials", sinceMs, scan: MAX_COUNTED })
      const [counted] = yield* Effect.mapError(decodeDenials(answer), corrupt("denials"))
      return counted.denials
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
