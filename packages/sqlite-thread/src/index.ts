/**
 * Calls a worker thread that owns a SQLite file.
 *
 * {@link SqliteThread.make} starts the thread; a call that could not be answered fails with a {@link ThreadFault}. The
 * {@link DiskReserve} holds disk space for revocations.
 */
export * as DiskReserve from "./DiskReserve.ts"
export * as SqliteThread from "./SqliteThread.ts"
export * as ThreadFault from "./ThreadFault.ts"
