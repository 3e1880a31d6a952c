/**
 * An MCP client of the official SDK, over HTTP, for the tests.
 */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect, Predicate } from "effect"

/** Connects with a raw key; the session ends with the scope. */
export const connect = (url: string, key: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const client = new Client({ name: "test", version: "1.0.0" })
      const transport = new StreamableHTTPClientTransport(new URL("/mcp", url), {
        requestInit: { headers: { Authorization: `Bearer ${key}` } }
      })
      await client.connect(transport)
      return { client, transport }
    }),
    ({ client }) => Effect.promise(() => client.close())
  )

/** What a tool answered: its content, and whether it was a refusal. */
export const callTool = (client: Client, name: string, given: Record<string, unknown> = {}) =>
  Effect.promise(async () => {
    const { isError, structuredContent } = await client.callTool({ name, arguments: given })
    return { isError: isError === true, answer: structuredContent }
  })

/** The code that a tool refused with; `undefined` for an answer. */
export const codeOf = (answer: unknown): unknown =>
  Predicate.hasProperty(answer, "error") && Predicate.hasProperty(answer.error, "code") ? answer.error.code : undefined
