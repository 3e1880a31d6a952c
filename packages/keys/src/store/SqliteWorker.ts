/**
 * Entry of the worker thread that owns the SQLite file of the keys. SQLite calls block, so they run outside the event loop.
 *
 * The entry imports no package, so that it starts from source, from a build and from a tarball alike.
 */
import type { DatabaseSync } from "node:sqlite"
import { parentPort } from "node:worker_threads"
import { failed, transact } from "../SqliteTransaction.ts"
import * as Database from "./sqlite/KeyDatabase.ts"
import type { SqliteThread } from "@quarterdeck/sqlite-thread"
import type { Call, Outcome, QuotaRow, Row } from "./sqlite/KeyProtocol.ts"
import * as ClusterStatements from "./sqlite/ClusterStatements.ts"
import * as IdempotencyStatements from "./sqlite/IdempotencyStatements.ts"
import * as SessionStatements from "./sqlite/SessionStatements.ts"

const COLUMNS = `id, hash, name, description, start, rule, allow_from AS allowFrom, created_at_ms AS createdAtMs,
  created_by AS createdBy, line, maker,
  rotated_from AS rotatedFrom, rotated_at_ms AS rotatedAtMs, expires_at_ms AS expiresAtMs, revoked_at_ms AS revokedAtMs, revoked_by AS revokedBy, last_used_at_ms AS lastUsedAtMs`

/** SQL condition: the key is neither revoked nor expired at `?2`. */
const LIVE = "revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > ?2)"

const prepare = (database: DatabaseSync) => ({
  insert: database.prepare(
    `INSERT INTO keys (id, hash, name, description, start, rule, allow_from, created_at_ms, created_by, line, maker,
       rotated_from, rotated_at_ms, expires_at_ms, revoked_at_ms, revoked_by, last_used_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  ),
  findByHash: database.prepare(`SELECT ${COLUMNS} FROM keys WHERE hash = ?`),
  find: database.prepare(`SELECT ${COLUMNS} FROM keys WHERE id = ?`),
  list: database.prepare(
    `SELECT ${COLUMNS} FROM keys WHERE (created_at_ms, id) > (?, ?) ORDER BY created_at_ms, id LIMIT ?`
  ),
  revoke: database.prepare(
    `UPDATE keys SET revoked_by = iif(revoked_at_ms IS NULL, ?2, revoked_by), revoked_at_ms = coalesce(revoked_at_ms, ?1)
     WHERE id = ?3 RETURNING ${COLUMNS}`
  ),
  revokeAll: database.prepare(
    `UPDATE keys SET revoked_by = iif(revoked_at_ms IS NULL, ?2, revoked_by), revoked_at_ms = coalesce(revoked_at_ms, ?1)
     WHERE id IN (SELECT value FROM json_each(?3)) RETURNING ${COLUMNS}`
  ),
  findLiving: database.prepare(
    `SELECT DISTINCT coalesce(line, id) AS line FROM keys WHERE coalesce(line, id) IN (SELECT value FROM json_each(?1)) AND ${LIVE}`
  ),
  countLive: database.prepare(`SELECT count(*) AS count FROM keys WHERE maker = ?1 AND ${LIVE}`),
  update: database.prepare(
    `UPDATE keys SET name = coalesce(?1, name), description = nullif(coalesce(?2, description), ''),
       rule = coalesce(?3, rule), allow_from = coalesce(?4, allow_from)
     WHERE id = ?5 AND revoked_at_ms IS NULL RETURNING ${COLUMNS}`
  ),
  rotate: database.prepare(
    `UPDATE keys SET rotated_at_ms = ?1, expires_at_ms = min(coalesce(expires_at_ms, ?2), ?2)
     WHERE id = ?3 AND revoked_at_ms IS NULL RETURNING ${COLUMNS}`
  ),
  touch: database.prepare("UPDATE keys SET last_used_at_ms = max(coalesce(last_used_at_ms, ?1), ?1) WHERE id = ?2"),
  count: database.prepare("SELECT count(*) AS count FROM keys"),
  sessions: SessionStatements.prepare(database),
  idempotency: IdempotencyStatements.prepare(database),
  clusters: ClusterStatements.prepare(database)
})

type OpenCall = Extract<Call, { readonly operation: "open" }>

/** The open database; `undefined` before the call `open` and after the call `close`. */
let current: { readonly database: DatabaseSync; readonly statements: ReturnType<typeof prepare> } | undefined

const insert = ({ insert }: ReturnType<typeof prepare>, row: Row) =>
  insert.run(
    row.id,
    row.hash,
    row.name,
    row.description,
    row.start,
    row.rule,
    row.allowFrom,
    row.createdAtMs,
    row.createdBy,
    row.line,
    row.maker,
    row.rotatedFrom,
    row.rotatedAtMs,
    row.expiresAtMs,
    row.revokedAtMs,
    row.revokedBy,
    row.lastUsedAtMs
  )

/** Thrown if a maker would exceed its quota of live keys. Rolls the transaction back. */
class MakerFull extends Error {}

/** Runs statements that add a key, all or none. Statements that do not increase the maker's live keys always pass. */
const withinQuota = <A>(
  { database, statements }: NonNullable<typeof current>,
  { maker }: Row,
  quota: QuotaRow | null,
  add: () => A
): A => {
  const count = (): number =>
    maker === null || quota === null ? 0 : Number(statements.countLive.get(maker, quota.atMs)?.["count"] ?? 0)
  return transact(database, () => {
    const before = count()
    const added = add()
    const after = count()
    if (quota !== null && after > quota.most && after > before) throw new MakerFull()
    return added
  })
}

const perform = (call: Exclude<Call, OpenCall>): ReadonlyArray<unknown> => {
  if (current === undefined) throw new Error("the database is not open")
  const { database, statements } = current
  switch (call.operation) {
    case "insert":
      withinQuota(current, call.row, call.quota, () => insert(statements, call.row))
      return []
    case "findByHash":
      return statements.findByHash.all(call.hash)
    case "find":
      return statements.find.all(call.id)
    case "list":
      return statements.list.all(call.afterMs, call.afterId, call.limit)
    case "revoke":
      return statements.revoke.all(call.atMs, call.by, call.id)
    case "revokeAll":
      return statements.revokeAll.all(call.atMs, call.by, JSON.stringify(call.ids))
    case "findLiving":
      return statements.findLiving.all(JSON.stringify(call.lines), call.atMs)
    case "update":
      return statements.update.all(call.name, call.description, call.rule, call.allowFrom, call.id)
    case "rotate": {
      const { atMs, endsAtMs, id, quota, successor } = call
      return withinQuota(current, successor, quota, () => {
        const ended = statements.rotate.all(atMs, endsAtMs, id)
        if (ended.length > 0) insert(statements, successor)
        return ended
      })
    }
    case "touch":
      transact(database, () => {
        for (const { atMs, id } of call.uses) statements.touch.run(atMs, id)
      })
      return []
    case "count":
      return statements.count.all()
    case "insertSession":
    case "findSession":
    case "newestSessions":
    case "touchSession":
    case "removeSession":
    case "replaceSessionOwner":
    case "removeSessionsOfOwner":
      return statements.sessions(call)
    case "beginIdempotent":
    case "endIdempotent":
    case "removeIdempotent":
      return statements.idempotency(call)
    case "listClusters":
    case "insertCluster":
    case "removeCluster":
      return statements.clusters(call)
    case "close":
      current = undefined
      database.close()
      return []
  }
}

const open = ({ path }: OpenCall): ReadonlyArray<unknown> => {
  const database = Database.open(path)
  current = { database, statements: prepare(database) }
  return []
}

const answer = (call: Call): Outcome => {
  try {
    return { outcome: "done", rows: call.operation === "open" ? open(call) : perform(call) }
  } catch (error) {
    if (error instanceof MakerFull) return { outcome: "full" }
    if (error instanceof Database.TooNew) {
      return { outcome: "tooNew", found: error.found, supported: error.supported }
    }
    return failed(error)
  }
}

parentPort?.on("message", ({ call, number }: SqliteThread.Request<Call>) => {
  const reply: SqliteThread.Reply<Outcome> = { number, outcome: answer(call) }
  parentPort?.postMessage(reply)
})
