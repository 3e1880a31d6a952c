/**
 * A worker thread with a connection to the audit's file: its calls block, so they run beside the event loop.
 *
 * Started by `AuditStore`, once to write and once to read. It imports siblings only, so that it starts alike from source,
 * from a build and packed.
 */
import type { SqliteThread } from "@quarterdeck/sqlite-thread"
import type { DatabaseSync } from "node:sqlite"
import { parentPort } from "node:worker_threads"
import { failed } from "../SqliteTransaction.ts"
import * as Database from "./AuditDatabase.ts"
import * as Reads from "./AuditReads.ts"
import type { Call, Outcome, StatementCall } from "./AuditProtocol.ts"

/** An open audit file; `execute` is absent where it is open for reading alone. */
interface Connection {
  readonly database: DatabaseSync
  readonly execute?: (call: StatementCall) => ReadonlyArray<unknown>
}

/** The open file; `undefined` until the first call, `open`, and after the last, `close`. */
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
  if (call.operation === "range") return Reads.range(database, call)
  if (call.operation !== "close") {
    if (execute === undefined) throw new Error("the audit is open for reading alone")
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
