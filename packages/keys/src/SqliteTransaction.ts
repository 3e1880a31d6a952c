/**
 * Transactions on a SQLite file. This module imports no package, because worker threads load it.
 */
import type { DatabaseSync } from "node:sqlite"

/**
 * Runs statements as one transaction, all or none.
 *
 * **Errors** the first error of the statements. When the disk is full, SQLite itself ends the transaction. A rollback would
 * then fail and hide the first error, so none is attempted.
 */
export const transact = <A>(database: DatabaseSync, statements: () => A): A => {
  database.exec("BEGIN IMMEDIATE")
  try {
    const result = statements()
    database.exec("COMMIT")
    return result
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK")
    throw error
  }
}

/** SQLite error codes of a full disk. **Source** SQLite, "Result and Error Codes": SQLITE_FULL, SQLITE_IOERR_SHMSIZE. */
const FULL: ReadonlySet<unknown> = new Set([13, 4_874])
const NO_SPACE: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"])

/** Checks whether an error of SQLite or of the file system means that the disk is full. */
const isDiskFull = (error: unknown): boolean =>
  error instanceof Error
  && (("errcode" in error && FULL.has(error.errcode)) || ("code" in error && NO_SPACE.has(error.code)))

/** Returns the worker thread's answer to a call that threw. */
export const failed = (error: unknown) => ({
  outcome: "failed" as const,
  message: error instanceof Error ? error.message : "not an error",
  isDiskFull: isDiskFull(error)
})
