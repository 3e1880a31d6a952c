/**
 * A load generator: sends requests over several connections as fast as the answers arrive.
 *
 * Argument: the file to write its port into. A request to that port starts a load; its body is a `Plan` of
 * src/load/Plan.ts, and the reply has the results. The program writes requests and splits answers by hand, because Node's
 * own client takes more processor time than the measured server.
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
