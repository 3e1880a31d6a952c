/**
 * Entry of a worker thread that owns a connection to the audit's file. SQLite calls block, so they run outside the event
 * loop.
 *
 * `AuditStore` starts one thread for writes and one for reads. The entry imports no package, so that it starts from source,
 * from a build and from a tarball alike.
 */
import type { SqliteThread } from "@quarterdeck/sqlite-thread"
import type { DatabaseSync } from "node:sqlite"
import { parentPort } from "node:worker_threads"
import { failed } from "../SqliteTransaction.ts"
import * as Database from "./AuditDatabase.ts"
import * as Reads from "./AuditReads.ts"
import type { Call, Outcome, StatementCall } from "./AuditProtocol.ts"

/** An open audit file. `execute` is absent if the file is open for reading only. */
interface Connection {
  readonly database: DatabaseSync
  readonly execute?: (call: StatementCall) => ReadonlyArray<unknown>
}

/** The open file; `undefined` before the call `open` and after the call `close`. */
let current: Connection | undefined

const connect = (path: string, access: "read" | "write"): Connection => {
  if (access === "read") return { database: Database.openReader(path) }
  const database = Database.open(path)
  return { database, execute: Database.prepare(database) }
}

const perform = (call: Call): ReadonlyArray<unknown> => {
  if (call.operation === "open") {
    current = connect(call.path, call.access)
    return []
  }
  if (current === undefined) throw new Error("the audit is not open")
  const { database, execute } = current
  if (call.operation === "list") return [Reads.list(database, call)]
  if (call.operation === "denials") return [Reads.denials(database, call)]
  if (call.operation === "range") return Reads.range(database, call)
  if (call.operation !== "close") {
    if (execute === undefined) throw new Error("the audit is open for reading only")
    return execute(call)
  }
  current = undefined
  database.close()
  return []
}

const answer = (call: Call): Outcome => {
  try {
    return { outcome: "done", rows: perform(call) }
  } catch (error) {
    return failed(error)
  }
}

parentPort?.on("message", ({ call, number }: SqliteThread.Request<Call>) => {
  const reply: SqliteThread.Reply<Outcome> = { number, outcome: answer(call) }
  parentPort?.postMessage(reply)
})
