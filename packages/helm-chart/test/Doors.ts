/** The doors of the service, and what each says to a key that asks for the workloads of a cluster. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import { Effect, Predicate } from "effect"

/** **Shape** lets the key in, keeps it out of the cluster, or does not know it. */
export type Verdict = "in" | "out of scope" | "unknown"

export interface Door {
  readonly name: string
  readonly ask: (url: string, key: string, cluster: string) => Effect.Effect<Verdict>
}

const REST: ReadonlyMap<number, Verdict> = new Map([
  [200, "in"],
  [401, "unknown"],
  [403, "out of scope"]
])

const rest: Door = {
  name: "REST",
  ask: (url, key, cluster) =>
    Effect.promise(async () => {
      const headers = { Authorization: `Bearer ${key}`, "X-Service-Cluster": cluster }
      const reply = await fetch(`${url}/api/v1/workloads`, { headers })
      const verdict = REST.get(reply.status)
      if (verdict === undefined) throw new Error(`${reply.status} ${await reply.text()}`)
      await reply.arrayBuffer()
      return verdict
    })
}

const memberOf = (value: unknown, name: string): unknown =>
  Predicate.hasProperty(value, name) ? value[name] : undefined

/** The official client; a session of its own for each question. */
const mcp: Door = {
  name: "MCP",
  ask: (url, key, cluster) =>
    Effect.promise(async () => {
      const client = new Client({ name: "test", version: "1.0.0" })
      const requestInit = { headers: { Authorization: `Bearer ${key}` } }
      try {
        await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", url), { requestInit }))
        const answer = await client.callTool({ name: "list_workloads", arguments: { clusters: [cluster] } })
        if (answer["isError"] !== true) return "in"
        const code = memberOf(memberOf(answer["structuredContent"], "error"), "code")
        if (code !== "cluster_forbidden") throw new Error(JSON.stringify(answer))
        return "out of scope"
      } catch (error) {
        if (memberOf(error, "code") !== 401) throw error
        return "unknown"
      } finally {
        await client.close()
      }
    })
}

export const DOORS: ReadonlyArray<Door> = [rest, mcp]
