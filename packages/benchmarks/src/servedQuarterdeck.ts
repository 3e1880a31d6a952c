/**
 * The service in a separate process, for loads: with the default log, and with figures on a second port.
 *
 * Arguments: the kubeconfig, the keys, the data directory, the setting `audit.reads`, the allowed requests a second of each
 * key, the allowed failed attempts a second of each address, the file to write its two ports into. 0 disables a limit.
 * The second port answers any request with `Figures` of src/load/Figures.ts. `/collected` collects garbage first. `/watch`
 * starts to measure the longest turn.
 */
import { Quarterdeck } from "@quarterdeck/http-server/Quarterdeck"
import { createServer } from "node:http"
import * as Figures from "./load/Figures.ts"
import { orSay, port, say } from "./load/Ready.ts"

const [kubeconfig = "", keysFile = "", dataDirectory = "", reads = "denied", ofKey, ofAddress, ready = ""] =
  process.argv.slice(2)

const probe = Figures.make()
await orSay(ready, async () => {
  const quarterdeck = await Quarterdeck.start({
    clusters: { kubeconfig: [kubeconfig] },
    keys: { file: keysFile },
    cost: { usage: "requests" },
    limits: { keyPerSecond: Number(ofKey), keyBurst: 1, failedPerSecond: Number(ofAddress), failedBurst: 1 },
    audit: { reads: reads === "all" ? "all" : "denied" },
    dataDirectory
  })
  const control = createServer((request, response) => {
    if (request.url === "/watch") probe.watch()
    response.end(JSON.stringify(probe.take(request.url === "/collected")))
  })
  const served = createServer(quarterdeck.nodeHandler)
  say(ready, { port: await port(served), controlPort: await port(control) })
})
