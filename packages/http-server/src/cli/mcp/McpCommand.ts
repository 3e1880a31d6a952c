/**
 * `quarterdeck mcp`: an MCP server on standard input and output that forwards to a server's `/mcp`.
 */
import { ApiKey } from "@quarterdeck/keys/ApiKey"
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as ApiClient from "../request/ApiClient.ts"
import * as Connection from "../request/Connection.ts"
import * as Print from "../print/Print.ts"
import * as McpBridge from "./McpBridge.ts"

export const mcpCommand = Command.make(
  "mcp",
  { url: Connection.urlFlag },
  Effect.fn("mcp")(function* ({ url }) {
    const connection = yield* Connection.read(url)
    // A wrong key or address fails here, at the start, where clients show the reason.
    const { name } = yield* ApiClient.call(connection, ApiKey, { method: "GET", path: "/api/v1/whoami" })
    yield* Print.note(`forwarding MCP to ${connection.base}/mcp with the key ${name}`)
    yield* McpBridge.run(connection)
  })
).pipe(
  Command.withDescription(
    "Speak the Model Context Protocol on standard input and output, for clients that start a local program. Every message is forwarded to the server's /mcp with the key in QUARTERDECK_API_KEY. Clients that speak HTTP do not need this command: give them the address and the key."
  ),
  Command.withShortDescription("Offer the server's tools to models on standard input and output"),
  Command.withExamples([
    {
      command: "QUARTERDECK_URL=https://quarterdeck.example.com QUARTERDECK_API_KEY=$(cat viewer.key) quarterdeck mcp",
      description: "The command in a client's configuration"
    }
  ])
)
