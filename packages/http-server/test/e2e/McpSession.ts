/**
 * MCP clients of the official SDK, over HTTP and over standard input and output.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect, Predicate } from "effect"
import { fileURLToPath } from "node:url"
import { rawKey } from "./Deployment.ts"

const BIN = fileURLToPath(new URL("../../src/bin.ts", import.meta.url))

const newClient = () => new Client({ name: "test", version: "1.0.0" })

const closing = (open: () => Promise<Client>) =>
  Effect.acquireRelease(Effect.promise(open), (client) => Effect.promise(() => client.close()))

/** Connects over HTTP with a raw key. */
export const connect = (url: string, key: string) =>
  closing(async () => {
    const client = newClient()
    await client.connect(
      new StreamableHTTPClientTransport(new URL("/mcp", url), {
        requestInit: { headers: { Authorization: `Bearer ${key}` } }
      })
    )
    return client
  })

/** Connects with a configured key, over HTTP. */
export const connectAs = (url: string, key: string) => connect(url, rawKey(key))

/** Starts `quarterdeck mcp` as a client does, and connects to its standard streams. */
export const start = (url: string, key: string) =>
  closing(async () => {
    const client = newClient()
    await client.connect(
      new StdioClientTransport({
        command: process.execPath,
        args: ["--conditions=@quarterdeck/source", BIN, "mcp"],
        env: { QUARTERDECK_URL: url, QUARTERDECK_API_KEY: key },
        stderr: "pipe"
      })
    )
    return client
  })

/** The names of the tools that a client is shown. */
export const toolsOf = (client: Client) =>
  Effect.promise(async () => (await client.listTools()).tools.map(({ name }) => name))

/** What a tool answered, and whether it refused. */
export const callTool = (client: Client, name: string, given: Record<string, unknown> = {}) =>
  Effect.promise(async () => {
    const { content, isError, structuredContent } = await client.callTool({ name, arguments: given })
    const blocks: ReadonlyArray<unknown> = Array.isArray(content) ? content : []
    const text = blocks.map((block) => String(at(block, "text"))).join("")
    return { isRefused: isError === true, answer: structuredContent, text }
  })

/** A member of an answer; `undefined` where there is none. */
export const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((found, key) => (Predicate.hasProperty(found, key) ? found[key] : undefined), value)

/** The code that a tool refused with; `undefined` for an answer. */
export const codeOf = ({ answer }: { readonly answer: unknown }): unknown => at(answer, "error", "code")
