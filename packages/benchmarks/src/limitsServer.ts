/**
 * The server process of the benchmark of limits. Prints its address once it is ready.
 */
import { Quarterdeck } from "@quarterdeck/http-server/Quarterdeck"
import { createServer } from "node:http"

const [kubeconfig = "", keysFile = "", dataDirectory = ""] = process.argv.slice(2)

const quarterdeck = await Quarterdeck.start({
  clusters: { kubeconfig: [kubeconfig] },
  keys: { file: keysFile },
  cost: { usage: "requests" },
  // Serve the load with valid keys without a limit. The limit of failed attempts keeps its default.
  limits: { keyPerSecond: 0 },
  dataDirectory,
  telemetry: { logFormat: "json" }
})
const server = createServer(quarterdeck.nodeHandler)
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}\n`)
})
