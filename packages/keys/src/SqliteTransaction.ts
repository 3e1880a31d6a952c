/**
 * Runs statements of a SQLite file as one. It imports no package, as worker threads stand on it.
 */
import type { DatabaseSync } from "node:sqlite"

/**
 * Runs statements as one transaction: all or none.
 *
 * **Errors** the first error of the statements. SQLite ends a transaction by itself when the disk is full; a rollback would
 * then fail too and hide that.
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

/** Codes of a full disk. **Source** SQLite, "Result and Error Codes": SQLITE_FULL, SQLITE_IOERR_SHMSIZE. */
const FULL: ReadonlySet<unknown> = new Set([13, 4_874])
const NO_SPACE: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"])

/** Whether an error of SQLite or of the file system says that the disk is full. */
const isDiskFull = (error: unknown): boolean =>
  error instanceof Error
  && (("errcode" in error && FULL.has(error.errcode)) || ("code" in error && NO_SPACE.has(error.code)))

/** The outcome of a call that threw, as the worker thread answers it. */
export const failed = (error: unknown) => ({
  outcome: "failed" as const,
  message: error instanceof Error ? error.message : "not an error",
  isDiskFull: isDiskFull(error)
})
