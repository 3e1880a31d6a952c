import { assert } from "@effect/vitest"
import type { Code } from "@quarterdeck/contract/Problem"
import { Effect } from "effect"
import { keep } from "./costHistory.ts"
import { type Call, Deployment, type KeyName, rawKey } from "./Deployment.ts"
import { callsFor, toolsFor } from "./McpCalls.ts"
import { at, callTool, codeOf, connectAs, start, toolsOf } from "./McpSession.ts"
import { onOneDriver } from "./onEveryDriver.ts"
import { fillWritten } from "./writtenPods.ts"

const initialize = (protocolVersion: string) => ({
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } }
})

const LONG_NAMED = { ...initialize("2025-11-25"), note: "a".repeat(20_000) }

const ACCEPT = [["Accept", "application/json, text/event-stream"]] as const

onOneDriver("mcp", { prepare: fillWritten, furnish: keep(["hub", "prod", "stage"]) }, (it) => {
  it.effect.each<KeyName>(["viewer", "operator", "admin"])(
    "a key of the role %s lists and calls every tool that it may",
    (key) =>
      Effect.gen(function* () {
        const client = yield* connectAs((yield* Deployment).url, key)
        assert.deepStrictEqual(yield* toolsOf(client), toolsFor(key))
        for (const [tool, given] of callsFor(key)) {
          const { answer, isRefused } = yield* callTool(client, tool, given)
          assert.isFalse(isRefused, `${tool}: ${JSON.stringify(answer)}`)
        }
      })
  )

  it.effect("so does a client that starts the program, whatever the role of its key", () =>
    Effect.gen(function* () {
      const { url } = yield* Deployment
      const asked = Effect.fnUntraced(function* (key: KeyName) {
        const client = yield* start(url, rawKey(key))
        assert.deepStrictEqual(yield* toolsOf(client), toolsFor(key))
        for (const [tool, given] of callsFor(key)) {
          const { answer, isRefused } = yield* callTool(client, tool, given)
          assert.isFalse(isRefused, `${tool}: ${JSON.stringify(answer)}`)
        }
        const refused = yield* callTool(client, "list_workloads", { clusters: ["nowhere"] })
        assert.strictEqual(codeOf(refused), "cluster_not_found")
      })
      yield* Effect.forEach(["viewer", "operator", "admin"] as const, asked, { concurrency: 3 })
    })
  )

  it.effect("rows are those of REST, sums come first, and a cursor leads on where more is said to be", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const client = yield* connectAs(deployment.url, "viewer")
      const { workloads } = yield* deployment.workloads("?limit=5000", { headers: [["X-Service-Cluster", "*"]] })
      const found: Array<unknown> = []
      let cursor: unknown
      for (;;) {
        const { answer, text } = yield* callTool(client, "list_workloads", {
          clusters: ["*"],
          limit: 10,
          ...(cursor === undefined ? {} : { cursor })
        })
        assert.strictEqual(JSON.stringify(answer), text)
        assert.strictEqual(at(answer, "matching"), workloads.length)
        const rows: unknown = at(answer, "workloads")
        if (Array.isArray(rows)) for (const row of rows) found.push(row)
        cursor = at(answer, "nextCursor")
        assert.strictEqual(at(answer, "truncated"), cursor !== undefined)
        if (cursor === undefined) break
      }
      assert.deepStrictEqual(found, JSON.parse(JSON.stringify(workloads)))

      const costs = yield* deployment.costs("?range=7d", { multiCluster: true }, { key: "viewer" })
      const { answer } = yield* callTool(client, "cost_by_workload", { clusters: ["*"], range: "7d" })
      assert.isAbove(costs.totals.totalCost, 0)
      assert.strictEqual(at(answer, "totals", "totalCost"), costs.totals.totalCost)
      assert.strictEqual(at(answer, "currency"), "USD")
      assert.deepStrictEqual(at(answer, "coverage"), { clusters: 3, byStatus: { ok: 3 } })
    })
  )

  it.effect(
    "an answer that would be too long for a model is shorter, says so, and its cursor goes on where it ends",
    () =>
      Effect.gen(function* () {
        const client = yield* connectAs((yield* Deployment).url, "viewer")
        const { answer, text } = yield* callTool(client, "explain_cost", {
          cluster: "prod",
          id: "prod/shop/Deployment/api",
          range: "7d"
        })
        assert.isAtMost(text.length, 65_536)
        assert.strictEqual(at(answer, "hoursInAll"), 48)
        const hours = at(answer, "hours")
        assert.isArray(hours)
        assert.strictEqual(at(answer, "truncated"), Array.isArray(hours) && hours.length < 48)
        const tooMany = yield* callTool(client, "list_workloads", { limit: 201 })
        assert.deepInclude(at(tooMany.answer, "error"), { code: "invalid_parameter", field: "limit" })
      })
  )

  it.effect.each<[string, string, Record<string, unknown>, string, string]>([
    ["an argument that the tool has not", "list_workloads", { cluster: "prod" }, "unknown_parameter", "cluster"],
    ["a list that is a text", "list_workloads", { clusters: "prod" }, "invalid_parameter", "clusters"],
    ["an object for a text", "list_workloads", { name: { eq: "api" } }, "invalid_parameter", "name"],
    ["a value that is none of those", "list_workloads", { sort: "cost" }, "invalid_parameter", "sort"],
    ["a file, which no model reads", "cost_by_workload", { format: "csv" }, "unknown_parameter", "format"],
    ["a range that is none", "cost_by_workload", { range: "a week" }, "invalid_parameter", "range"],
    ["a body's member of another type", "cost_by_group", { groupBy: "cluster" }, "invalid_body", "groupBy"],
    ["what is required and missing", "explain_cost", { cluster: "prod" }, "invalid_parameter", "id"],
    ["a cursor of another question", "list_workloads", { cursor: "abc.def" }, "invalid_cursor", "cursor"]
  ])("refuses %s, names it, and says what to do next", ([, tool, given, code, field]) =>
    Effect.gen(function* () {
      const client = yield* connectAs((yield* Deployment).url, "viewer")
      const { answer, isRefused } = yield* callTool(client, tool, given)
      assert.isTrue(isRefused)
      assert.deepInclude(at(answer, "error"), { code, field, status: 400 })
      assert.isString(at(answer, "next"))
      const detail = String(at(answer, "error", "detail"))
      if (field === "cluster") assert.match(detail, /did you mean clusters\?; allowed: .*\bnamespace\b/)
      if (field === "clusters") assert.include(detail, 'or ["*"] for all clusters that the key reaches')
    })
  )

  it.effect(
    "says to a key with a namespace scope to leave out idle, and nothing of namespaces that it did not name",
    () =>
      Effect.gen(function* () {
        const client = yield* connectAs((yield* Deployment).url, "shopViewer")
        const { answer } = yield* callTool(client, "cost_by_group", { groupBy: ["cluster"], idle: "show" })
        assert.deepInclude(at(answer, "error"), { code: "namespace_forbidden", field: "idle" })
        assert.strictEqual(at(answer, "next"), "Call again without idle.")
      })
  )

  it.effect("offers clusters, a workload and a cost report as resources, and three questions as prompts", () =>
    Effect.gen(function* () {
      const client = yield* connectAs((yield* Deployment).url, "shopViewer")
      const read = (uri: string) =>
        Effect.promise(async () => {
          const [content] = (await client.readResource({ uri })).contents
          return content !== undefined && "text" in content ? content.text : ""
        })
      assert.include(yield* read("quarterdeck://clusters"), '"name":"stage"')
      assert.include(yield* read("quarterdeck://workloads/prod/shop/Deployment/web"), '"namespace":"shop"')
      assert.include(yield* read("quarterdeck://costs/7d"), '"currency":"USD"')
      const refused = yield* Effect.flip(
        Effect.tryPromise(() => client.readResource({ uri: "quarterdeck://workloads/prod/payments/Deployment/ledger" }))
      )
      assert.include(String(refused.cause), "namespace_forbidden")
      const { prompts } = yield* Effect.promise(() => client.listPrompts())
      assert.deepStrictEqual(
        prompts.map(({ name }) => name),
        ["why_did_cost_rise", "what_is_unhealthy", "what_can_we_save"]
      )
      for (const { name } of prompts) {
        const { messages } = yield* Effect.promise(() => client.getPrompt({ name, arguments: { cluster: "prod" } }))
        assert.include(JSON.stringify(messages), "prod")
      }
    })
  )

  it.effect("a session is its key's own, and ends when it is told to, or its key does", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const { apiKey, raw } = yield* deployment.createKey({ name: "model", rule: { role: "Viewer" } })
      const begun = yield* deployment.call("/mcp", {
        method: "POST",
        bearer: raw,
        headers: ACCEPT,
        body: initialize("2025-11-25")
      })
      assert.strictEqual(begun.status, 200, begun.text)
      const session: readonly [string, string] = ["Mcp-Session-Id", String(begun.headers["mcp-session-id"])]
      const list = (bearer: string) =>
        deployment.call("/mcp", {
          method: "POST",
          bearer,
          headers: [...ACCEPT, session],
          body: { jsonrpc: "2.0", id: 2, method: "tools/list" }
        })
      assert.strictEqual((yield* list(raw)).status, 200)
      const foreign = yield* list(rawKey("admin"))
      assert.strictEqual(foreign.status, 404, foreign.text)
      const stolen = yield* deployment.call("/mcp", { method: "DELETE", key: "admin", headers: [session] })
      assert.strictEqual(stolen.status, 404)
      assert.strictEqual((yield* list(raw)).status, 200)
      assert.strictEqual(
        (yield* deployment.call("/mcp", { method: "DELETE", bearer: raw, headers: [session] })).status,
        204
      )
      assert.strictEqual((yield* list(raw)).status, 404)
      yield* deployment.call(`/api/v1/apiKeys/${apiKey.id}`, { method: "DELETE", key: "admin" })
      const revoked = yield* list(raw)
      assert.strictEqual(revoked.status, 401)
      assert.include(revoked.text, "key_revoked")
    })
  )

  it.effect.each<[string, Call, number, Code]>([
    ["no key", { method: "POST", key: null, body: {} }, 401, "missing_credential"],
    ["an unknown key", { method: "POST", bearer: "qd_nothing", body: {} }, 401, "invalid_key"],
    [
      "a session's cookie in place of a key",
      { method: "POST", key: null, headers: [["Cookie", "qd_session=x"]], body: {} },
      401,
      "missing_credential"
    ],
    [
      "a page of another origin",
      { method: "POST", headers: [["Origin", "https://evil.example"]], body: {} },
      403,
      "origin_forbidden"
    ],
    [
      "a member that stands twice",
      {
        method: "POST",
        headers: [["Content-Type", "application/json"]],
        body: '{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}'
      },
      400,
      "malformed_json"
    ],
    [
      "another media type",
      { method: "POST", headers: [["Content-Type", "text/plain"]], body: "{}" },
      415,
      "unsupported_media_type"
    ],
    ["a client that says at length who it is", { method: "POST", body: LONG_NAMED }, 413, "body_too_large"],
    ["a body over 1 MiB", { method: "POST", body: { a: "a".repeat(1_100_000) } }, 413, "body_too_large"],
    ["GET", {}, 405, "method_not_allowed"]
  ])("refuses %s before the protocol", ([, call, status, code]) =>
    Effect.gen(function* () {
      const problem = yield* (yield* Deployment).problem("/mcp", call)
      assert.deepInclude(problem, { status, code })
    })
  )

  it.effect("refuses a parameter, and a Host that is not this server's", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const parameter = yield* deployment.problem("/mcp?cluster=prod", { method: "POST", body: {} })
      assert.deepInclude(parameter, { status: 400, code: "unknown_parameter", field: "cluster" })
      const host = yield* deployment.problem("/mcp", { method: "POST", host: "rebound.example:80", body: {} })
      assert.deepInclude(host, { status: 403, code: "host_forbidden", field: "Host" })
      const own = yield* deployment.call("/mcp", {
        method: "POST",
        host: "localhost:8080",
        headers: ACCEPT,
        body: initialize("2025-11-25")
      })
      assert.strictEqual(own.status, 200)
    })
  )

  it.effect("the audit says that it came by MCP, which route and clusters were asked, and that it was refused", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const client = yield* connectAs(deployment.url, "prodViewer")
      const { answer } = yield* callTool(client, "list_workloads", { clusters: ["stage"] })
      const { text } = yield* deployment.call("/api/v1/audit?decision=deny&limit=50", { key: "admin" })
      const events: unknown = at(JSON.parse(text), "events")
      const event: unknown = Array.isArray(events)
        ? events.find((one) => at(one, "requestId") === at(answer, "error", "requestId"))
        : undefined
      assert.deepInclude(event, {
        via: "mcp",
        route: "/api/v1/workloads",
        resource: "workloads",
        code: "cluster_forbidden"
      })
      assert.strictEqual(at(event, "target", "asked"), "stage")
    })
  )

  it.effect("a new client and one of each earlier revision is spoken to in its own", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      for (const version of ["2025-11-25", "2025-06-18"]) {
        const { status, text } = yield* deployment.call("/mcp", {
          method: "POST",
          headers: ACCEPT,
          body: initialize(version)
        })
        assert.strictEqual(status, 200)
        assert.strictEqual(at(JSON.parse(text), "result", "protocolVersion"), version)
      }
      const metadata = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" }
      }
      const reply = yield* deployment.call("/mcp", {
        method: "POST",
        headers: [
          ...ACCEPT,
          ["MCP-Protocol-Version", "2026-07-28"],
          ["Mcp-Method", "tools/call"],
          ["Mcp-Name", "whoami"]
        ],
        body: {
          jsonrpc: "2.0",
          id: 1,
          method: "tools/call",
          params: { name: "whoami", arguments: {}, _meta: metadata }
        }
      })
      assert.include(reply.text, '"name":"viewer"')
    })
  )
})
