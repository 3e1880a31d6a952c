/**
 * Asks over some connections for a while, as fast as the answers come, whenever it is told to.
 *
 * Called with the file that it writes its port into. A load comes as the body of a request, see `Plan` of src/load/Plan.ts,
 * and the answer is what came of it. It writes requests and cuts answers by hand: Node's own client takes more processor
 * time than the server that it asks.
 */
import { createServer, type IncomingMessage } from "node:http"
import { text } from "node:stream/consumers"
import { decodePlan } from "./load/Plan.ts"
import { listen, orSay } from "./load/Ready.ts"
import { run } from "./load/Wire.ts"

const [ready = ""] = process.argv.slice(2)

const answer = async (request: IncomingMessage): Promise<unknown> => {
  try {
    return await run(decodePlan(await text(request)))
  } catch (error) {
    return { problem: String(error) }
  }
}

const server = createServer((request, response) => {
  void answer(request).then((result) => response.end(JSON.stringify(result)))
})
await orSay(ready, () => listen(server, ready))
