/**
 * Calls a worker thread that owns a SQLite file.
 *
 * {@link SqliteThread.make} starts the thread. A call without an answer fails with a {@link ThreadFault}. The
 * {@link DiskReserve} keeps disk space free for revocations.
 */
export * as DiskReserve from "./DiskReserve.ts"
export * as SqliteThread from "./SqliteThread.ts"
export * as ThreadFault from "./ThreadFault.ts"
