/**
 * Statements of the worker thread for idempotent calls. Like the thread's entry, this module imports no package.
 */
import type { DatabaseSync } from "node:sqlite"
import { transact } from "../../SqliteTransaction.ts"
import type { Call } from "./KeyProtocol.ts"

/** The worker's calls that read or write idempotency records. */
export type IdempotencyCall = Extract<Call, { readonly operation: `${string}Idempotent` }>

/** Prepares the statements. **Shape** `beginIdempotent` returns one row, the others none. */
export const prepare = (database: DatabaseSync): ((call: IdempotencyCall) => ReadonlyArray<unknown>) => {
  const forget = database.prepare("DELETE FROM idempotent_calls WHERE begun_at_ms < ?")
  const find = database.prepare("SELECT fingerprint, answer FROM idempotent_calls WHERE owner = ? AND key = ?")
  const kept = database.prepare(
    `SELECT count(*) AS count, coalesce(sum(length(answer)), 0) AS size, min(begun_at_ms) AS oldestAtMs
     FROM idempotent_calls WHERE owner = ?`
  )
  const insert = database.prepare(
    "INSERT INTO idempotent_calls (owner, key, fingerprint, begun_at_ms) VALUES (?, ?, ?, ?)"
  )
  const end = database.prepare("UPDATE idempotent_calls SET answer = ? WHERE owner = ? AND key = ?")
  const remove = database.prepare("DELETE FROM idempotent_calls WHERE owner = ? AND key = ? AND answer IS NULL")

  return (call) => {
    const { key, owner } = call
    switch (call.operation) {
      case "beginIdempotent":
        return transact(database, () => {
          forget.run(call.begunBeforeMs)
          const known = find.get(owner, key)
          if (known !== undefined) return [{ state: "known", ...known }]
          const { count, oldestAtMs, size } = kept.get(owner) ?? {}
          if (Number(count) >= call.mostCount || Number(size) >= call.mostSize) return [{ state: "full", oldestAtMs }]
          insert.run(owner, key, call.fingerprint, call.atMs)
          return [{ state: "new" }]
        })
      case "endIdempotent":
        end.run(call.answer, owner, key)
        return []
      case "removeIdempotent":
        remove.run(owner, key)
        return []
    }
  }
}
