/**
 * The worker thread that owns the file of the cost history: its calls block, so they run beside the event loop.
 *
 * Started by `store/Sqlite`. It imports siblings only, so that it starts alike from source, from a build and packed.
 */
import { parentPort } from "node:worker_threads"
import type { Reply, Request } from "@quarterdeck/sqlite-thread/SqliteThread"
import type { Call, Outcome } from "./sqlite/CostProtocol.ts"
import * as CostThread from "./sqlite/CostThread.ts"

const perform = CostThread.make()

parentPort?.on("message", ({ call, number }: Request<Call>) => {
  const outcome = perform(call)
  const reply: Reply<Outcome> = { number, outcome }
  parentPort?.postMessage(reply, CostThread.transferred(outcome))
})
