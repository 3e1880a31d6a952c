import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ToolRefusal from "../../../src/http/mcp/ToolRefusal.ts"

describe("what a tool says of a refusal", () => {
  it.effect(
    "says of an empty list of clusters what leaving it out means for a tool, which is not what it means in a body",
    () =>
      Effect.gen(function* () {
        const detail = "clusters: must name at least one cluster; leave the field out to address all clusters"
        const problem = { type: "urn:quarterdeck:problem:empty_cluster_list", title: "Empty cluster list", status: 400 }
        const body = { ...problem, code: "empty_cluster_list", detail, field: "clusters", requestId: "r-1" }
        const { structuredContent } = yield* ToolRefusal.ofReply({ status: 400, retryAfterSeconds: undefined, body })
        assert.deepInclude(structuredContent, {
          error: {
            code: "empty_cluster_list",
            status: 400,
            detail: "clusters: must name at least one cluster",
            field: "clusters",
            requestId: "r-1"
          },
          next: 'Name at least one cluster, or pass ["*"] for all. Without `clusters`, list_clusters lists all clusters and other tools read only the parent cluster.'
        })
      })
  )
})
