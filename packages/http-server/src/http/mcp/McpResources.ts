/**
 * What a client can put before a model without a tool: the clusters, one workload, a report of costs.
 */
import { Effect, Layer, Schema } from "effect"
import { McpSchema, McpServer } from "effect/ai"
import * as McpTools from "./McpTools.ts"
import * as ToolCall from "./ToolCall.ts"
import type { ToolInput } from "./ToolInput.ts"

type InputOf = (tool: McpTools.McpTool) => ToolInput

const MIME_TYPE = "application/json"

/** A route refused what a resource is made of; its text is what a tool would have answered. */
class ResourceRefused extends Schema.TaggedError<ResourceRefused>()("ResourceRefused", { text: Schema.String }) {
  override get message(): string {
    return this.text
  }
}

/** Asks a tool for the content of a resource. */
const read = Effect.fnUntraced(function* (inputOf: InputOf, name: string, given: Readonly<Record<string, unknown>>) {
  const tool = McpTools.find(name)
  if (tool === undefined) return yield* Effect.die(new Error(`no tool is called ${name}`))
  const { isError, structuredContent } = yield* ToolCall.call(tool, inputOf(tool), given)
  // JSON alone, as the type of the resource says; its first member marks it as data.
  const text = JSON.stringify(structuredContent)
  if (isError === true) return yield* new ResourceRefused({ text })
  return text
})

const contentOf = (uri: string, text: string): McpSchema.ReadResourceResult => ({
  contents: [McpSchema.TextResourceContents.make({ uri, mimeType: MIME_TYPE, text })]
})

const part = (name: string) => McpSchema.param(name, Schema.String)

/** Registers the resources. **Errors** of a read: the refusal of the route, as the tool tells it. */
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
        description: "One workload as it is now, with its pods.",
        mimeType: MIME_TYPE,
        content: Effect.fnUntraced(function* (uri, cluster, namespace, kind, name) {
          if (cluster === "*") {
            return yield* new ResourceRefused({
              text: "a workload is in one cluster: take its name from list_clusters"
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
