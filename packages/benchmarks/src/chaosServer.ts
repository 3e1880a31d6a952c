/**
 * The server process of the soak. Prints its address once it is ready, and its heap size at each SIGUSR2.
 *
 * Run with `--expose-gc`.
 */
import { Quarterdeck } from "@quarterdeck/http-server/Quarterdeck"
import { createServer } from "node:http"

const [kubeconfig = "", keysFile = "", dataDirectory = ""] = process.argv.slice(2)

const quarterdeck = await Quarterdeck.start({
  clusters: { kubeconfig: [kubeconfig] },
  keys: { file: keysFile },
  cost: { usage: "requests" },
  limits: { keyPerSecond: 0 },
  dataDirectory,
  telemetry: { logFormat: "json", logLevel: "error" }
})

process.on("SIGUSR2", () => {
  globalThis.gc?.()
  globalThis.gc?.()
  process.stdout.write(`heap ${process.memoryUsage().heapUsed}\n`)
})

const server = createServer(quarterdeck.nodeHandler)
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  process.stdout.write(`http://127.0.0.1:${typeof address === "object" ? address?.port : ""}\n`)
})
