/**
 * Keeps the audit in a SQLite file of its own: rows are appended, read, and removed from the old end alone.
 */
import { SqliteThread } from "@quarterdeck/sqlite-thread"
import { Context, DateTime, Effect, Layer, Redacted, Schema } from "effect"
import { join } from "node:path"
import { Worker } from "node:worker_threads"
import { AuditEvent, AuditFacts } from "../AuditEvent.ts"
import { AuditKey } from "./AuditKey.ts"
import type { AuditPosition, AuditQuery, Call, LifeCall, Outcome, StatementCall } from "./AuditProtocol.ts"
import { type Link, sign } from "./Chain.ts"

/** The file's name in the data directory. */
export const FILE_NAME = "audit.sqlite"

const CALL_TIMEOUT_MS = 10_000
const OPEN_TIMEOUT_MS = 60_000
/** Reads that may wait for the thread that reads: each may look at every event, so more would not be answered in time. */
const MAX_READS = 32

/** The audit could not be written or read (HTTP 503 `audit_unavailable`). */
export class AuditStoreError extends Schema.TaggedError<AuditStoreError>()("AuditStoreError", {
  operation: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return `the audit could not ${this.operation}: ${this.problem}`
  }
}

/** One page. **Shape** newest first; `after` is the place of the last event seen. */
export interface AuditPage {
  readonly query: AuditQuery
  readonly limit: number
  readonly after?: AuditPosition
}

/** An event and its `position`, from which a later page continues after the event. */
export interface Kept {
  readonly event: AuditEvent
  readonly position: AuditPosition
}

export class AuditStore extends Context.Service<
  AuditStore,
  {
    /** Appends events, all or none, and gives the chain's last link. Once it returns they survive a power cut. */
    readonly append: (events: ReadonlyArray<AuditFacts>) => Effect.Effect<Link, AuditStoreError>
    readonly list: (page: AuditPage) => Effect.Effect<ReadonlyArray<Kept>, AuditStoreError>
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
const EventRow = Schema.Struct({
  ...LinkRow.fields,
  atMs: Schema.Int,
  previousHash: Schema.String,
  body: Schema.fromJsonString(AuditFacts)
})

const encodeFacts = Schema.encodeSync(Schema.fromJsonString(AuditFacts))
const decodeEvents = Schema.decodeUnknownEffect(Schema.Array(EventRow))
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
  const call = Effect.fnUntraced(function* (asked: Call) {
    const { operation } = asked
    const failed = ({ message: problem }: { readonly message: string }) => new AuditStoreError({ operation, problem })
    const outcome = yield* Effect.mapError(thread.call(asked), failed)
    return outcome.outcome === "done" ? outcome.rows : yield* failed(outcome)
  })
  yield* call(open).pipe(
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
  const lastLink = Effect.fnUntraced(function* (asked: StatementCall) {
    const [link] = yield* links(asked)
    return link ?? (yield* corrupt(asked.operation)())
  })

  return AuditStore.of({
    append: (events) =>
      lastLink({
        operation: "append",
        bodies: events.map((event) => ({ atMs: DateTime.toEpochMillis(event.at), body: encodeFacts(event) }))
      }),
    list: Effect.fnUntraced(function* ({ after, limit, query }) {
      const rows = yield* read({ operation: "list", query, limit, ...(after === undefined ? {} : { after }) })
      const events = yield* Effect.mapError(decodeEvents(rows), corrupt("list"))
      return events.map(({ atMs, body, hash, number, previousHash }): Kept => ({
        event: { id: String(number), ...body, hash, previousHash },
        position: { atMs, number }
      }))
    }),
    last: lastLink({ operation: "last" }),
    probe: Effect.asVoid(write({ operation: "probe" })),
    hashOf: (number) => Effect.map(links({ operation: "find", number }), ([row]) => row?.hash),
    prune: Effect.fnUntraced(function* (before) {
      const [link] = yield* links({ operation: "lastBefore", beforeMs: DateTime.toEpochMillis(before) })
      if (link === undefined) return undefined
      const atMs = DateTime.toEpochMillis(yield* DateTime.now)
      const signature = sign(Redacted.value(key), "checkpoint", link, atMs)
      yield* write({ operation: "prune", ...link, atMs, signature })
      return link
    })
  })
})
