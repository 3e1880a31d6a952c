/**
 * Statements of the worker thread for sessions. Like the thread's entry, this module imports no package.
 */
import type { DatabaseSync } from "node:sqlite"
import { transact } from "../../SqliteTransaction.ts"
import type { Call } from "./KeyProtocol.ts"

/** The worker's calls that read or write sessions. */
export type SessionCall = Extract<Call, { readonly operation: `${string}Session${string}` }>

/** Prepares the statements of a database. */
export const prepare = (database: DatabaseSync): ((call: SessionCall) => ReadonlyArray<unknown>) => {
  const forget = database.prepare("DELETE FROM sessions WHERE created_at_ms < ? OR last_used_at_ms < ?")
  const insert = database.prepare(
    "INSERT INTO sessions (hash, owner, person, created_at_ms, last_used_at_ms) VALUES (?, ?, ?, ?, ?)"
  )
  const keepNewest = database.prepare(
    `DELETE FROM sessions WHERE hash IN (
       SELECT hash FROM sessions WHERE owner = ?1 AND hash <> ?2
       ORDER BY created_at_ms DESC, hash LIMIT -1 OFFSET ?3
     )`
  )
  const find = database.prepare(
    `SELECT hash, owner, person, created_at_ms AS createdAtMs, last_used_at_ms AS lastUsedAtMs
     FROM sessions WHERE hash = ?`
  )
  const newest = database.prepare("SELECT hash FROM sessions ORDER BY last_used_at_ms DESC LIMIT ?")
  const touch = database.prepare("UPDATE sessions SET last_used_at_ms = max(last_used_at_ms, ?) WHERE hash = ?")
  const remove = database.prepare("DELETE FROM sessions WHERE hash = ?")
  const replaceOwner = database.prepare("UPDATE sessions SET owner = ?, person = ? WHERE hash = ?")
  const removeOfOwner = database.prepare("DELETE FROM sessions WHERE owner = ?")

  return (call) => {
    switch (call.operation) {
      case "insertSession": {
        const { hash, owner, person, createdAtMs, lastUsedAtMs } = call.row
        transact(database, () => {
          forget.run(call.createdBeforeMs, call.lastUsedBeforeMs)
          insert.run(hash, owner, person, createdAtMs, lastUsedAtMs)
          keepNewest.run(owner, hash, call.perOwner - 1)
        })
        return []
      }
      case "findSession":
        return find.all(call.hash)
      case "newestSessions":
        return newest.all(call.count)
      case "touchSession":
        touch.run(call.atMs, call.hash)
        return []
      case "removeSession":
        remove.run(call.hash)
        return []
      case "replaceSessionOwner":
        replaceOwner.run(call.owner, call.person, call.hash)
        return []
      case "removeSessionsOfOwner":
        removeOfOwner.run(call.owner)
        return []
    }
  }
}
