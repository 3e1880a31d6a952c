/**
 * The service in a separate process, for loads: without rate limits, with logs, and with figures on a second port.
 *
 * Arguments: the kubeconfig, the keys, the data directory, the setting `audit.reads`, the file to write its two ports into.
 * The second port answers any request with `Figures` of src/load/Figures.ts. `/collected` collects garbage first. `/watch`
 * starts to measure the longest turn.
 */
import { Quarterdeck } from "@quarterdeck/http-server/Quarterdeck"
import { createServer } from "node:http"
import * as Figures from "./load/Figures.ts"
import { orSay, port, say } from "./load/Ready.ts"

const [kubeconfig = "", keysFile = "", dataDirectory = "", reads = "denied", ready = ""] = process.argv.slice(2)

const probe = Figures.make()
await orSay(ready, async () => {
  const quarterdeck = await Quarterdeck.start({
    clusters: { kubeconfig: [kubeconfig] },
    keys: { file: keysFile },
    cost: { usage: "requests" },
    limits: { keyPerSecond: 0, failedPerSecond: 0 },
    audit: { reads: reads === "all" ? "all" : "denied" },
    dataDirectory,
    telemetry: { logFormat: "json" }
  })
  const control = createServer((request, response) => {
    if (request.url === "/watch") probe.watch()
    response.end(JSON.stringify(probe.take(request.url === "/collected")))
  })
  const served = createServer(quarterdeck.nodeHandler)
  say(ready, { port: await port(served), controlPort: await port(control) })
})
