/**
 * The worker thread that owns the file of the cost history: its calls block, so they run beside the event loop.
 *
 * Started by `store/Sqlite`. It imports siblings only, so that it starts alike from source, from a build and packed.
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
