/**
 * Asks a ClickHouse server: rows out, rows in, statements.
 */
import { ClickHouseLogLevel, createClient, type ClickHouseSettings } from "@clickhouse/client"
import { Effect, Redacted, type Scope } from "effect"
import { Readable } from "node:stream"
import { finished } from "node:stream/promises"
import { CostError, StoreUnavailable, StoreUnreadable } from "../../hour/CostError.ts"
import { Damaged } from "../sqlite/SqlValue.ts"

/** Rows that are written out as text at once: about a millisecond. */
const ROWS_AT_ONCE = 250
/** How much of what the server says about a failure is told: it repeats whole statements. */
const MAX_MESSAGE = 500
const CONNECTIONS = 8

/** Where the server is. */
export interface ConnectOptions {
  /** `http(s)://user:password@host:8123/database`. */
  readonly url: Redacted.Redacted<string | URL>
  readonly timeoutMs: number
}

/**
 * A statement and its values, which go into `params`, never into the text.
 *
 * **Shape** `action` is a verb phrase for errors.
 */
export interface Statement {
  readonly action: string
  readonly sql: string
  readonly params?: Readonly<Record<string, unknown>>
}

/**
 * Rows to insert into a table; a list of them is written whole or not at all.
 *
 * **Shape** two insertions under one `token` are one: the second is dropped.
 */
export interface Insertion {
  readonly action: string
  readonly table: string
  readonly columns: readonly [string, ...ReadonlyArray<string>]
  readonly rows: Iterable<ReadonlyArray<unknown>>
  readonly token?: string
}

export interface Client {
  /** Gives each row of an answer to `take`, as it comes. **Errors** `StoreUnreadable` where that throws `Damaged`. */
  readonly read: (statement: Statement, take: (row: ReadonlyArray<unknown>) => void) => Effect.Effect<void, CostError>
  readonly insert: (insertion: Insertion) => Effect.Effect<void, CostError>
  readonly run: (statement: Statement) => Effect.Effect<void, CostError>
}

/**
 * Opens connections to a server, as they are needed.
 *
 * **Errors** messages carry no password.
 *
 * **Limits** {@link CONNECTIONS} at once; a call that is interrupted ends its statement at the server, if that reads.
 */
export const connect = Effect.fnUntraced(function* ({
  timeoutMs,
  url
}: ConnectOptions): Effect.fn.Return<Client, CostError, Scope.Scope> {
  const { database, origin, password, username } = yield* addressOf(url)
  const told = (cause: unknown) => new Error(messageOf(cause, password))
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
      catch: (cause) => unavailable("open the cost history", told(cause))
    }),
    (opened) => Effect.promise(() => opened.close())
  )

  const call = (action: string, body: (signal: AbortSignal) => Promise<void>) =>
    Effect.tryPromise({
      try: body,
      catch: (cause) =>
        cause instanceof Damaged
          ? new CostError({ reason: new StoreUnreadable({ problem: `could not ${action}: ${cause.message}` }) })
          : unavailable(action, told(cause))
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
        // The server takes an insertion of nothing for a mistake.
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
 * What holds for every statement.
 *
 * An insertion is done when it is answered, in one part for each partition: `async_insert` and parallel
 * parsing would cut it. An answer comes whole, so that a failure half way is one. Where the server keeps several
 * replicas, a statement sees all that was answered before it. A deletion may ask the ledger what it names.
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
  let held = 0
  for (const row of rows) {
    text += `${JSON.stringify(row)}\n`
    if (++held < ROWS_AT_ONCE) continue
    yield text
    text = ""
    held = 0
  }
  if (held > 0) yield text
}

interface Address {
  readonly origin: string
  readonly username: string
  readonly password: string
  readonly database: string
}

const addressOf = (given: Redacted.Redacted<string | URL>): Effect.Effect<Address, CostError> =>
  Effect.try({
    try: () => {
      const url = new URL(Redacted.value(given))
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
    // Its own words: those of others may repeat the address.
    catch: () =>
      unavailable("open the cost history", new Error("the address is not like http://user:password@host:8123/database"))
  })

const messageOf = (cause: unknown, password: string): string => {
  const text = cause instanceof Error ? cause.message || cause.name : String(cause)
  const safe = password === "" ? text : text.replaceAll(password, "***")
  return safe.length <= MAX_MESSAGE ? safe : `${safe.slice(0, MAX_MESSAGE)}...`
}

/** Makes the error of a call. */
export const unavailable = (action: string, cause: Error): CostError =>
  new CostError({ reason: new StoreUnavailable({ action, cause }) })
