/**
 * Recognizes errors of a full disk. Imports nothing, because the worker thread of the cost history loads this module.
 */

/** Result codes of SQLite for a full disk. **Source** SQLite, "Result and Error Codes": SQLITE_FULL, SQLITE_IOERR_SHMSIZE. */
const SQLITE_CODES: ReadonlySet<unknown> = new Set([13, 4_874])
const SYSTEM_CODES: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT"])

/** Returns true for an error of SQLite or of the file system that reports a full disk. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof Error
  && (("errcode" in error && SQLITE_CODES.has(error.errcode)) || ("code" in error && SYSTEM_CODES.has(error.code)))
