/**
 * A program of the benchmark of limits: serves until it is ended, and prints its address once it is ready.
 */
import { Quarterdeck } from "@quarterdeck/http-server/Quarterdeck"
import { createServer } from "node:http"

const [kubeconfig = "", keysFile = "", dataDirectory = ""] = process.argv.slice(2)

const quarterdeck = await Quarterdeck.start({
  clusters: { kubeconfig: [kubeconfig] },
  keys: { file: keysFile },
  cost: { usage: "requests" },
  // The load of good keys is to be served, and not refused; the limit of failed attempts is the default one.
  limits: { keyPerSecond: 0 },
  dataDirectory,
  telemetry: { logFormat: "json" }
})
const server = createServer(quarterdeck.nodeHandler)
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}\n`)
})
