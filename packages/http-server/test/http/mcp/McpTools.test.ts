import { assert, describe, it } from "@effect/vitest"
import * as Endpoints from "../../../src/http/request/Endpoints.ts"
import * as McpTools from "../../../src/http/mcp/McpTools.ts"

/** A tool of any route, to see who would be shown it. */
const toolOf = (name: string): McpTools.McpTool => {
  const [first] = McpTools.all
  const endpoint = Endpoints.all.find((one) => one.name === name)
  assert.isDefined(first)
  assert.isDefined(endpoint)
  return { ...first, endpoint }
}

const viewer = { role: "Viewer" } as const
const operator = { role: "Operator" } as const
const admin = { role: "Admin" } as const
const scoped = { role: "Admin", targetNamespaces: [{ namespaceNames: ["shop"] }] } as const

describe("McpTools", () => {
  it("shows what every role may to every role, and to a Viewer no logs and nothing that changes what runs", () => {
    for (const rule of [operator, admin, scoped]) {
      assert.deepStrictEqual(
        McpTools.all.filter((tool) => McpTools.isListed(rule, tool)),
        McpTools.all
      )
    }
    assert.deepStrictEqual(
      McpTools.all.filter((tool) => !McpTools.isListed(viewer, tool)).map(({ name }) => name),
      ["scale_workload", "restart_workload", "pause_rollout", "resume_rollout", "get_pod_logs"]
    )
  })

  it.each([
    ["apiKeys.list", [admin, scoped], [viewer, operator]],
    ["prices.replace", [admin], [viewer, operator, scoped]]
  ] as const)("would show a tool of %s to those alone whose rule lets them", (name, shown, hidden) => {
    const tool = toolOf(name)
    for (const rule of shown) assert.isTrue(McpTools.isListed(rule, tool))
    for (const rule of hidden) assert.isFalse(McpTools.isListed(rule, tool))
  })

  it("shows a tool of a route without a policy of keys to nobody", () => {
    assert.isFalse(McpTools.isListed(admin, toolOf("session.get")))
  })
})
