import { eventually } from "@quarterdeck/harness"
import { Effect } from "effect"
import { connect } from "node:net"
import { Deployment, rawKey } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

/** Asks all clusters live as a client of 2026-07-28 does, and leaves as soon as the message is on its way. */
const leave = Effect.gen(function* () {
  const { host, hostname, port } = new URL((yield* Deployment).url)
  const metadata = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" }
  }
  const given = { clusters: ["*"], consistency: "live" }
  const params = { name: "list_workloads", arguments: given, _meta: metadata }
  const text = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params })
  const head = [
    "POST /mcp HTTP/1.1",
    ...[`Host: ${host}`, `Authorization: Bearer ${rawKey("viewer")}`, "Content-Type: application/json"],
    ...["Accept: application/json, text/event-stream", "MCP-Protocol-Version: 2026-07-28"],
    ...["Mcp-Method: tools/call", "Mcp-Name: list_workloads", `Content-Length: ${text.length}`]
  ]
  yield* Effect.callback<void>((resume) => {
    const socket = connect(Number(port), hostname)
    socket.on("error", () => undefined)
    socket.on("close", () => resume(Effect.void))
    socket.write(`${head.join("\r\n")}\r\n\r\n${text}`, () => socket.destroy())
  })
})

onOneDriver("mcp without its client", {}, (it) => {
  it.effect("a call ends when its client leaves", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      yield* leave
      yield* eventually(
        "the call is told as one that its client left",
        Effect.gen(function* () {
          const { text } = yield* deployment.call("/metrics", { key: "admin" })
          return text.includes('quarterdeck_http_requests_total{method="POST",route="/mcp",status="499"} 1')
        }),
        (isTold) => isTold,
        { within: "30 seconds" }
      )
    })
  )
})
