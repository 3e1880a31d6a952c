/**
 * Entry of the worker thread that owns the file of the cost history. Calls of SQLite block, so they run off the event loop.
 *
 * `store/Sqlite` starts it. This file imports no package, so it starts the same way from source, from a build and from a
 * bundle.
 */
import { parentPort } from "node:worker_threads"
import type { SqliteThread } from "@quarterdeck/sqlite-thread"
import type { Call, Outcome } from "./sqlite/CostProtocol.ts"
import * as CostThread from "./sqlite/CostThread.ts"

const perform = CostThread.make()

parentPort?.on("message", ({ call, number }: SqliteThread.Request<Call>) => {
  const outcome = perform(call)
  const reply: SqliteThread.Reply<Outcome> = { number, outcome }
  parentPort?.postMessage(reply, CostThread.transferred(outcome))
})
