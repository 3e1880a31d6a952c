/**
 * The audit's database file: its tables, and what the worker thread does with them. It imports siblings only, as the thread
 * itself does.
 */
import { chmodSync, closeSync, constants, mkdirSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { hashOf, type Link, START } from "./Chain.ts"
import type { AuditQuery, ListCall, StatementCall } from "./AuditProtocol.ts"

/** How long a statement waits for another process, such as a backup, that holds the file. */
const BUSY_TIMEOUT_MS = 5_000

/** How long a probe waits: what holds the file longer than that holds up what is to be written, too. */
const PROBE_TIMEOUT_MS = 200

const VERSION = 1

/** The one columns that are filtered are made from the body: nothing stands beside what the hash covers. */
const SCHEMA = `
  CREATE TABLE events (
    number INTEGER NOT NULL PRIMARY KEY,
    at_ms INTEGER NOT NULL,
    previous_hash TEXT NOT NULL,
    hash TEXT NOT NULL,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_by_time ON events (at_ms, number);
  CREATE TABLE checkpoint (
    only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
    number INTEGER NOT NULL,
    hash TEXT NOT NULL,
    at_ms INTEGER NOT NULL,
    signature TEXT NOT NULL
  ) STRICT;
  PRAGMA user_version = ${VERSION};`

/**
 * Opens the file, and makes it where there is none.
 *
 * **Shape** readable by its owner alone; what was appended survives a power cut.
 */
export const open = (path: string): DatabaseSync => {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600))
  chmodSync(path, 0o600)
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, defensive: true })
  try {
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF;")
    const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"])
    if (version > VERSION)
      throw new Error(
        `schema version ${version}, this program knows ${VERSION}: run the newer program, or restore a backup`
      )
    if (version === 0) transact(database, () => database.exec(SCHEMA))
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Opens the file beside the connection that writes: in WAL mode neither waits for the other.
 *
 * **Errors** the file is not there.
 */
export const openReader = (path: string): DatabaseSync => {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, defensive: true, readOnly: true })
  database.exec("PRAGMA trusted_schema = OFF")
  return database
}

const transact = <A>(database: DatabaseSync, statements: () => A): A => {
  database.exec("BEGIN IMMEDIATE")
  try {
    const result = statements()
    database.exec("COMMIT")
    return result
  } catch (error) {
    database.exec("ROLLBACK")
    throw error
  }
}

const COLUMNS = "number, at_ms AS atMs, previous_hash AS previousHash, hash, body"

/** Writes the version again, which stands there: the file, its disk and its locks are asked, and no event is made. */
const probe = (database: DatabaseSync): void => {
  database.exec(`PRAGMA busy_timeout = ${PROBE_TIMEOUT_MS}`)
  try {
    transact(database, () => database.exec(`PRAGMA user_version = ${VERSION}`))
  } finally {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }
}

/** Each filter as SQL, with the parameter that it takes. */
const conditionsOf = (query: AuditQuery): ReadonlyArray<readonly [sql: string, value: SQLInputValue | undefined]> => [
  ["at_ms >= ?", query.sinceMs],
  ["at_ms < ?", query.untilMs],
  ["body ->> '$.actor.keyId' = ?", query.keyId],
  ["body ->> '$.decision' = ?", query.decision],
  ["body ->> '$.resource' = ?", query.resource],
  ["body ->> '$.verb' = ?", query.verb],
  [
    `? IN (SELECT value FROM json_each(body, '$.target.clusters')
       UNION ALL SELECT value FROM json_each('["' || replace(body ->> '$.target.asked', '|', '","') || '"]'))`,
    query.cluster
  ]
]

/** Gives a page, newest first. */
export const list = (database: DatabaseSync, { after, limit, query }: ListCall): ReadonlyArray<unknown> => {
  const conditions = conditionsOf(query).flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]))
  const where = ["(at_ms, number) < (?, ?)", ...conditions.map(({ sql }) => sql)].join(" AND ")
  return database
    .prepare(`SELECT ${COLUMNS} FROM events WHERE ${where} ORDER BY at_ms DESC, number DESC LIMIT ?`)
    .all(
      after?.atMs ?? Number.MAX_SAFE_INTEGER,
      after?.number ?? Number.MAX_SAFE_INTEGER,
      ...conditions.map(({ value }) => value),
      limit
    )
}

/** Prepares what is done with a file that is open for writing. */
export const prepare = (database: DatabaseSync) => {
  const insert = database.prepare(
    "INSERT INTO events (number, at_ms, previous_hash, hash, body) VALUES (?, ?, ?, ?, ?)"
  )
  const lastRow = database.prepare(
    `SELECT number, hash FROM (SELECT number, hash FROM events UNION ALL SELECT number, hash FROM checkpoint)
     ORDER BY number DESC LIMIT 1`
  )
  const find = database.prepare(`SELECT ${COLUMNS} FROM events WHERE number = ?`)
  const lastBefore = database.prepare(
    `SELECT number, hash FROM events
     WHERE number < coalesce((SELECT min(number) FROM events WHERE at_ms >= ?), 9007199254740991)
     ORDER BY number DESC LIMIT 1`
  )
  const remove = database.prepare("DELETE FROM events WHERE number <= ?")
  const note = database.prepare(
    "INSERT OR REPLACE INTO checkpoint (only, number, hash, at_ms, signature) VALUES (1, ?, ?, ?, ?)"
  )

  const last = (): Link => {
    const row = lastRow.get()
    return row === undefined ? START : { number: Number(row["number"]), hash: String(row["hash"]) }
  }
  let tail = last()

  const append = (bodies: ReadonlyArray<{ readonly atMs: number; readonly body: string }>): Link => {
    let next = tail
    transact(database, () => {
      for (const { atMs, body } of bodies) {
        const number = next.number + 1
        const hash = hashOf(number, next.hash, body)
        insert.run(number, atMs, next.hash, hash, body)
        next = { number, hash }
      }
    })
    tail = next
    return tail
  }

  return (call: StatementCall): ReadonlyArray<unknown> => {
    switch (call.operation) {
      case "append":
        return [append(call.bodies)]
      case "find":
        return find.all(call.number)
      case "last":
        return [tail]
      case "probe":
        probe(database)
        return []
      case "lastBefore":
        return lastBefore.all(call.beforeMs)
      case "prune":
        transact(database, () => {
          note.run(call.number, call.hash, call.atMs, call.signature)
          remove.run(call.number)
        })
        return []
    }
  }
}
