/**
 * The audit's database file: its tables, and the statements of the worker thread. Like the thread's entry, this module
 * imports no package.
 */
import { chmodSync, closeSync, constants, mkdirSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { transact } from "../SqliteTransaction.ts"
import { hashOf, type Link, START } from "./Chain.ts"
import { COLUMNS, firstSince } from "./AuditReads.ts"
import type { AuditUsage, StatementCall } from "./AuditProtocol.ts"

/** Time for which a statement waits for another process that has locked the file, such as a backup. */
const BUSY_TIMEOUT_MS = 5_000

/** Time for which a probe waits for a lock. A lock that lasts longer also delays writes. */
const PROBE_TIMEOUT_MS = 200

/** Size of a row without its body: number, instant, two hashes, index entries. **Units** bytes, estimated. */
const ROW_BYTES = 200

/**
 * Migrations, one per schema version. A released migration is never edited; changes are appended as new ones.
 *
 * `at_ms` is the instant of the row's body, or the `at_ms` of the preceding row if that is later. Its index therefore has the
 * order of the chain. `shares` contains the bytes of denials and of all other events.
 */
const MIGRATIONS: ReadonlyArray<string> = [
  `
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
  ) STRICT;`,
  `CREATE TABLE shares (
    only INTEGER NOT NULL PRIMARY KEY CHECK (only = 1),
    denied_bytes INTEGER NOT NULL,
    other_bytes INTEGER NOT NULL
  ) STRICT;
  INSERT INTO shares (only, denied_bytes, other_bytes)
    SELECT 1, coalesce(sum(iif(body ->> '$.decision' = 'deny', octet_length(body) + ${ROW_BYTES}, 0)), 0),
      coalesce(sum(iif(body ->> '$.decision' = 'deny', 0, octet_length(body) + ${ROW_BYTES})), 0)
    FROM events;`
]
const VERSION = MIGRATIONS.length

/**
 * Opens the file, and creates it if it is missing.
 *
 * **Shape** the file has mode 0600. Appended events survive a power cut.
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
    if (version < VERSION) {
      transact(database, () => {
        for (const step of MIGRATIONS.slice(version)) database.exec(step)
        database.exec(`PRAGMA user_version = ${VERSION}`)
      })
    }
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

/**
 * Opens a second, read-only connection to the file. In WAL mode, readers and the writer do not wait for each other.
 *
 * **Errors** throws if the file is missing.
 */
export const openReader = (path: string): DatabaseSync => {
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, defensive: true, readOnly: true })
  database.exec("PRAGMA trusted_schema = OFF")
  return database
}

/** Writes the unchanged schema version. This tests the file, its disk and its locks without adding an event. */
const probe = (database: DatabaseSync): void => {
  database.exec(`PRAGMA busy_timeout = ${PROBE_TIMEOUT_MS}`)
  try {
    transact(database, () => database.exec(`PRAGMA user_version = ${VERSION}`))
  } finally {
    database.exec(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }
}

/** Number and hash of the last row of the chain, and the size of the audit. */
type Tail = Link & AuditUsage

const statementsOf = (database: DatabaseSync) => ({
  insert: database.prepare("INSERT INTO events (number, at_ms, previous_hash, hash, body) VALUES (?, ?, ?, ?, ?)"),
  lastRow: database.prepare(
    `SELECT number, hash FROM (SELECT number, hash FROM events UNION ALL SELECT number, hash FROM checkpoint)
     ORDER BY number DESC LIMIT 1`
  ),
  highest: database.prepare("SELECT max(at_ms) AS atMs FROM events"),
  share: database.prepare("SELECT denied_bytes AS deniedBytes, other_bytes AS otherBytes FROM shares"),
  find: database.prepare(`SELECT ${COLUMNS} FROM events WHERE number = ?`),
  hashBefore: database.prepare("SELECT number, hash FROM events WHERE number < ? ORDER BY number DESC LIMIT 1"),
  remove: database.prepare("DELETE FROM events WHERE number <= ?"),
  removedBytes: database.prepare(
    `SELECT coalesce(sum(iif(body ->> '$.decision' = 'deny', octet_length(body) + ${ROW_BYTES}, 0)), 0) AS deniedBytes,
       coalesce(sum(octet_length(body) + ${ROW_BYTES}), 0) AS allBytes
     FROM events WHERE number <= ?`
  ),
  noteShare: database.prepare("UPDATE shares SET denied_bytes = ?, other_bytes = ?"),
  note: database.prepare(
    "INSERT OR REPLACE INTO checkpoint (only, number, hash, at_ms, signature) VALUES (1, ?, ?, ?, ?)"
  )
})

/** Prepares the statements of a file that is open for writing. */
export const prepare = (database: DatabaseSync) => {
  const { find, hashBefore, highest, insert, lastRow, note, noteShare, remove, removedBytes, share } =
    statementsOf(database)

  const last = (): Tail => {
    const row = lastRow.get()
    const { deniedBytes, otherBytes } = share.get() ?? {}
    const link = row === undefined ? START : { number: Number(row["number"]), hash: String(row["hash"]) }
    return { ...link, deniedBytes: Number(deniedBytes), otherBytes: Number(otherBytes) }
  }
  let tail = last()
  let highMs = Number(highest.get()?.["atMs"] ?? 0)

  const append = (bodies: Extract<StatementCall, { readonly operation: "append" }>["bodies"]): Tail => {
    let next = tail
    let nextHighMs = highMs
    transact(database, () => {
      for (const { atMs, body, isDenial } of bodies) {
        const number = next.number + 1
        const hash = hashOf(number, next.hash, body)
        const bytes = Buffer.byteLength(body) + ROW_BYTES
        nextHighMs = Math.max(nextHighMs, atMs)
        insert.run(number, nextHighMs, next.hash, hash, body)
        next = {
          number,
          hash,
          deniedBytes: next.deniedBytes + (isDenial ? bytes : 0),
          otherBytes: next.otherBytes + (isDenial ? 0 : bytes)
        }
      }
      noteShare.run(next.deniedBytes, next.otherBytes)
    })
    tail = next
    highMs = nextHighMs
    return tail
  }

  const prune = ({ atMs, hash, number, signature }: Extract<StatementCall, { readonly operation: "prune" }>): Tail => {
    const left = transact(database, () => {
      const { allBytes, deniedBytes } = removedBytes.get(number) ?? {}
      const denied = tail.deniedBytes - Number(deniedBytes)
      const other = tail.otherBytes - (Number(allBytes) - Number(deniedBytes))
      note.run(number, hash, atMs, signature)
      remove.run(number)
      noteShare.run(denied, other)
      return { deniedBytes: denied, otherBytes: other }
    })
    tail = { ...tail, ...left }
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
        return hashBefore.all(firstSince(database, call.beforeMs) ?? Number.MAX_SAFE_INTEGER)
      case "prune":
        return [prune(call)]
    }
  }
}
