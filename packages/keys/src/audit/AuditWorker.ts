/**
 * The worker thread that owns the audit's file: its calls block, so they run beside the event loop.
 *
 * Started by `AuditStore`. It imports siblings only, so that it starts alike from source, from a build and packed.
 */
import type { Reply, Request } from "@quarterdeck/sqlite-thread/SqliteThread"
import type { DatabaseSync } from "node:sqlite"
import { parentPort } from "node:worker_threads"
import * as Database from "./AuditDatabase.ts"
import type { Call, Outcome } from "./AuditProtocol.ts"

/** **Shape** `undefined` until the first call, `open`, and after the last, `close`. */
let current: { readonly database: DatabaseSync; readonly perform: ReturnType<typeof Database.prepare> } | undefined

const perform = (call: Call): ReadonlyArray<unknown> => {
  if (call.operation === "open") {
    const database = Database.open(call.path)
    current = { database, perform: Database.prepare(database) }
    return []
  }
  if (current === undefined) throw new Error("the audit is not open")
  if (call.operation !== "close") return current.perform(call)
  const { database } = current
  current = undefined
  database.close()
  return []
}

const answer = (call: Call): Outcome => {
  try {
    return { outcome: "done", rows: perform(call) }
  } catch (error) {
    return { outcome: "failed", message: error instanceof Error ? error.message : "not an error" }
  }
}

parentPort?.on("message", ({ call, number }: Request<Call>) => {
  const reply: Reply<Outcome> = { number, outcome: answer(call) }
  parentPort?.postMessage(reply)
})
