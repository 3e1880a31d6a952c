/**
 * Client of a ClickHouse server: queries, inserts and statements.
 */
import { ClickHouseLogLevel, createClient, type ClickHouseSettings } from "@clickhouse/client"
import { Effect, Redacted, type Scope } from "effect"
import { Readable } from "node:stream"
import { finished } from "node:stream/promises"
import { CostError, StoreUnavailable, StoreUnreadable } from "../../hour/CostError.ts"
import { Damaged } from "../sqlite/SqlValue.ts"

/** Number of rows that are encoded without a pause: about a millisecond of work. */
const ROWS_AT_ONCE = 250
/** Maximum length of a server message in an error. The server repeats whole statements. **Units** characters. */
const MAX_MESSAGE = 500
const CONNECTIONS = 8

export interface ConnectOptions {
  /** `http(s)://user:password@host:8123/database`. */
  readonly url: Redacted.Redacted<string | URL>
  readonly timeoutMs: number
}

/**
 * A statement. Values go into `params`, never into the SQL text.
 *
 * **Shape** `action` is a verb phrase for errors.
 */
export interface Statement {
  readonly action: string
  readonly sql: string
  readonly params?: Readonly<Record<string, unknown>>
}

/**
 * Rows to insert into a table, all or none.
 *
 * **Shape** The server drops the second of two insertions with the same `token`.
 */
export interface Insertion {
  readonly action: string
  readonly table: string
  readonly columns: readonly [string, ...ReadonlyArray<string>]
  readonly rows: Iterable<ReadonlyArray<unknown>>
  readonly token?: string
}

export interface Client {
  /** Calls `take` with each row of the result as it arrives. **Errors** `StoreUnreadable` if `take` throws `Damaged`. */
  readonly read: (statement: Statement, take: (row: ReadonlyArray<unknown>) => void) => Effect.Effect<void, CostError>
  readonly insert: (insertion: Insertion) => Effect.Effect<void, CostError>
  readonly run: (statement: Statement) => Effect.Effect<void, CostError>
}

/**
 * Connects to a server, with connections on demand.
 *
 * **Errors** Messages do not contain the password.
 *
 * **Limits** 8 connections. An interruption cancels the statement at the server if it only reads.
 */
export const connect = Effect.fnUntraced(function* ({
  timeoutMs,
  url
}: ConnectOptions): Effect.fn.Return<Client, CostError, Scope.Scope> {
  const { database, origin, password, username } = yield* addressOf(url)
  const redacted = (cause: unknown) => new Error(messageOf(cause, password))
  const client = yield* Effect.acquireRelease(
    Effect.try({
      try: () =>
        createClient({
          url: origin,
          username,
          password,
          database,
          request_timeout: timeoutMs,
          max_open_connections: CONNECTIONS,
          use_multipart_params_auto: true,
          log: { level: ClickHouseLogLevel.OFF },
          clickhouse_settings: settings(timeoutMs)
        }),
      catch: (cause) => unavailable("open the cost history", redacted(cause))
    }),
    (opened) => Effect.promise(() => opened.close())
  )

  const call = (action: string, body: (signal: AbortSignal) => Promise<void>) =>
    Effect.tryPromise({
      try: body,
      catch: (cause) =>
        cause instanceof Damaged
          ? new CostError({ reason: new StoreUnreadable({ problem: `could not ${action}: ${cause.message}` }) })
          : unavailable(action, redacted(cause))
    }).pipe(
      Effect.timeoutOrElse({
        duration: timeoutMs,
        orElse: () => Effect.fail(unavailable(action, new Error(`no answer within ${timeoutMs} ms`)))
      })
    )

  return {
    read: ({ action, params, sql }, take) =>
      call(action, async (signal) => {
        const found = await client.query({
          query: sql,
          format: "JSONCompactEachRow",
          abort_signal: signal,
          ...(params === undefined ? {} : { query_params: params })
        })
        for await (const rows of found.stream<ReadonlyArray<unknown>>()) for (const row of rows) take(row.json())
      }),
    insert: ({ action, columns, rows, table, token }) =>
      call(action, async (signal) => {
        const text = textOf(rows)
        const first = text.next()
        // The server refuses an insertion without rows.
        if (first.done === true) return
        const { stream } = await client.exec({
          query: `INSERT INTO ${table} (${columns.join(", ")}) FORMAT JSONCompactEachRow`,
          values: Readable.from(startingWith(first.value, text), { objectMode: false }),
          abort_signal: signal,
          clickhouse_settings:
            token === undefined
              ? { insert_deduplicate: 0 }
              : { insert_deduplicate: 1, insert_deduplication_token: token }
        })
        await finished(stream.resume())
      }),
    run: ({ action, params, sql }) =>
      call(action, async (signal) => {
        await client.command({
          query: sql,
          abort_signal: signal,
          ...(params === undefined ? {} : { query_params: params })
        })
      })
  }
})

/**
 * Returns the settings of every statement.
 *
 * The server answers an insertion once all rows are written, as one part per partition. `async_insert` and parallel parsing
 * would split it into several parts. The server sends a result only when it is complete, so that a failure is reported as an
 * error. With replicas, a statement sees every write that was answered before it. A deletion may contain a subquery on the
 * ledger.
 */
const settings = (timeoutMs: number): ClickHouseSettings => ({
  async_insert: 0,
  input_format_parallel_parsing: 0,
  wait_end_of_query: 1,
  select_sequential_consistency: "1",
  output_format_json_quote_64bit_integers: 0,
  cancel_http_readonly_queries_on_client_close: 1,
  max_execution_time: Math.max(1, Math.ceil(timeoutMs / 1_000)),
  mutations_sync: "1",
  allow_nondeterministic_mutations: 1
})

function* startingWith(first: string, rest: Iterable<string>): Generator<string> {
  yield first
  yield* rest
}

function* textOf(rows: Iterable<ReadonlyArray<unknown>>): Generator<string> {
  let text = ""
  let count = 0
  for (const row of rows) {
    text += `${JSON.stringify(row)}\n`
    if (++count < ROWS_AT_ONCE) continue
    yield text
    text = ""
    count = 0
  }
  if (count > 0) yield text
}

interface Address {
  readonly origin: string
  readonly username: string
  readonly password: string
  readonly database: string
}

const addressOf = (address: Redacted.Redacted<string | URL>): Effect.Effect<Address, CostError> =>
  Effect.try({
    try: () => {
      const url = new URL(Redacted.value(address))
      if (url.protocol !== "http:" && url.protocol !== "https:") throw new Error("it is no http or https address")
      const [, database = "", ...rest] = url.pathname.split("/")
      if (rest.some((part) => part !== "") || url.search !== "") throw new Error("it has more than one database's name")
      return {
        origin: url.origin,
        username: decodeURIComponent(url.username) || "default",
        password: decodeURIComponent(url.password),
        database: decodeURIComponent(database) || "default"
      }
    },
    // The message of the cause is left out: it may repeat the address with its password.
    catch: () =>
      unavailable("open the cost history", new Error("the address is not like http://user:password@host:8123/database"))
  })

const messageOf = (cause: unknown, password: string): string => {
  const text = cause instanceof Error ? cause.message || cause.name : String(cause)
  const safe = password === "" ? text : text.replaceAll(password, "***")
  return safe.length <= MAX_MESSAGE ? safe : `${safe.slice(0, MAX_MESSAGE)}...`
}

export const unavailable = (action: string, cause: Error): CostError =>
  new CostError({ reason: new StoreUnavailable({ action, cause }) })
