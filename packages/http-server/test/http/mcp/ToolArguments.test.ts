import { assert, describe, it } from "@effect/vitest"
import * as Document from "@quarterdeck/contract/Document"
import * as McpTools from "../../../src/http/mcp/McpTools.ts"
import * as ToolArguments from "../../../src/http/mcp/ToolArguments.ts"
import * as ToolInput from "../../../src/http/mcp/ToolInput.ts"

const inputOf = ToolInput.make(Document.DEFAULT_OPTIONS)
const schemas = new Map(McpTools.all.map((tool) => [tool.name, inputOf(tool).schema]))

const read = (tool: string, given: unknown) => {
  const schema = schemas.get(tool)
  if (schema === undefined) throw new Error(`no tool is called ${tool}`)
  return ToolArguments.read(schema, given)
}

describe("the arguments of a tool", () => {
  it.each([
    ["list_workloads", { clusters: "*" }, { clusters: ["*"] }],
    ["list_workloads", { clusters: '["*"]' }, { clusters: ["*"] }],
    ["list_workloads", { clusters: null, namespace: null, limit: null }, {}],
    ["list_workloads", { limit: "5", timeoutMs: "3000.0" }, { limit: 5, timeoutMs: 3_000 }],
    ["list_workloads", { kind: "deployments" }, { kind: "Deployment" }],
    ["list_workloads", { kind: ["deploy", "STS", "Rollout"] }, { kind: ["Deployment", "StatefulSet", "Rollout"] }],
    [
      "list_workloads",
      { kind: '["jobs"]', sort: "createdat", name: 7 },
      { kind: ["Job"], sort: "createdAt", name: "7" }
    ],
    ["list_pods", { workload: "deployment/web" }, { workload: "Deployment/web" }],
    ["list_events", { regarding: "pods/web-0" }, { regarding: "Pod/web-0" }],
    ["cost_by_workload", { workloadTypes: ["deployment"] }, { workloadTypes: ["Deployment"] }],
    [
      "scale_workload",
      { kind: "sts", replicas: "2", dryRun: "False" },
      { kind: "StatefulSet", replicas: 2, dryRun: false }
    ],
    ["scale_workload", { dryRun: "true", resourceVersion: 12 }, { dryRun: true, resourceVersion: "12" }],
    ["get_pod_logs", { previous: true, tailLines: "10" }, { previous: "true", tailLines: 10 }]
  ])("%s takes %j as %j", (tool, given, expected) => {
    assert.deepStrictEqual(read(tool, given), expected)
  })

  it.each([
    ["list_workloads", { clusters: "prod" }],
    ["list_workloads", { clusters: { 0: "prod" } }],
    ["list_workloads", { limit: "many", sort: "cost", name: { eq: "api" } }],
    ["scale_workload", { replicas: "2.5", dryRun: "no" }],
    ["list_workloads", { unknown: "x" }]
  ])("%s leaves %j to the route, which refuses it", (tool, given) => {
    assert.deepStrictEqual(read(tool, given), given)
  })

  it("none is the same as nothing given", () => {
    for (const given of [undefined, null, "text", 5]) assert.deepStrictEqual(read("list_workloads", given), {})
  })

  it("the schema takes the other spellings of a kind, and one star for all clusters", () => {
    const properties = schemas.get("list_workloads")?.properties
    assert.include(JSON.stringify(properties?.["kind"]), "^[A-Za-z][A-Za-z0-9]{0,62}(?:")
    assert.include(JSON.stringify(properties?.["clusters"]), '},{"type":"string","const":"*"}]')
  })
})
