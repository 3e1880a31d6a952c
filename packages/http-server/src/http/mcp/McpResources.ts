/**
 * MCP resources, which a client can add to a model's context without a tool call: clusters, one workload, a cost report.
 */
import { Effect, Layer, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import * as McpTools from "./McpTools.ts"
import * as ToolCall from "./ToolCall.ts"
import type { ToolInput } from "./ToolInput.ts"

type InputOf = (tool: McpTools.McpTool) => ToolInput

const MIME_TYPE = "application/json"

/** The route behind a resource refused the request. **Shape** `text` is the result of the tool. */
class ResourceRefused extends Schema.TaggedError<ResourceRefused>()("ResourceRefused", { text: Schema.String }) {
  override get message(): string {
    return this.text
  }
}

/** Calls a tool for the content of a resource. */
const read = Effect.fnUntraced(function* (inputOf: InputOf, name: string, given: Readonly<Record<string, unknown>>) {
  const tool = McpTools.find(name)
  if (tool === undefined) return yield* Effect.die(new Error(`no tool is called ${name}`))
  const { isError, structuredContent } = yield* ToolCall.call(tool, inputOf(tool), given)
  // Only the JSON, as the MIME type says. Its first member marks it as data.
  const text = JSON.stringify(structuredContent)
  if (isError === true) return yield* new ResourceRefused({ text })
  return text
})

const contentOf = (uri: string, text: string): McpSchema.ReadResourceResult => ({
  contents: [McpSchema.TextResourceContents.make({ uri, mimeType: MIME_TYPE, text })]
})

const part = (name: string) => McpSchema.param(name, Schema.String)

/** Registers the resources. **Errors** of a read: the refusal of the route, as the tool returns it. */
export const layer = (inputOf: InputOf) =>
  Layer.mergeAll(
    McpServer.resource({
      uri: "quarterdeck://clusters",
      name: "Clusters",
      description: "Every cluster that the key reaches, with its health.",
      mimeType: MIME_TYPE,
      content: Effect.map(read(inputOf, "list_clusters", {}), (text) => contentOf("quarterdeck://clusters", text))
    }),
    McpServer.resource`quarterdeck://workloads/${part("cluster")}/${part("namespace")}/${part("kind")}/${part("name")}`(
      {
        name: "Workload",
        description: "Current state of one workload, with its pods.",
        mimeType: MIME_TYPE,
        content: Effect.fnUntraced(function* (uri, cluster, namespace, kind, name) {
          if (cluster === "*") {
            return yield* new ResourceRefused({
              text: "cluster must be one name, not *: take it from list_clusters"
            })
          }
          return contentOf(uri, yield* read(inputOf, "get_workload", { cluster, namespace, kind, name }))
        })
      }
    ),
    McpServer.resource`quarterdeck://costs/${part("range")}`({
      name: "Cost report",
      description: "What the workloads of all clusters cost over a range such as 7d, the most expensive first.",
      mimeType: MIME_TYPE,
      completion: { range: (input) => Effect.succeed(RANGES.filter((range) => range.startsWith(input))) },
      content: (uri, range) =>
        Effect.map(read(inputOf, "cost_by_workload", { clusters: ["*"], range }), (text) => contentOf(uri, text))
    })
  )

const RANGES = ["24h", "7d", "30d", "12w"]
