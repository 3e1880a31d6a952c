/**
 * What REST forbids MCP forbids, with the same code: the cases of access and targeting, asked both ways.
 */
import { assert } from "@effect/vitest"
import { Seed } from "@quarterdeck/harness"
import { Role } from "@quarterdeck/keys/Rule"
import { Effect, Schema } from "effect"
import * as Endpoints from "../../src/http/request/Endpoints.ts"
import * as McpTools from "../../src/http/mcp/McpTools.ts"
import { ROLES } from "./accessCases.ts"
import { type Call, Deployment, rawKey } from "./Deployment.ts"
import { at, callTool, codeOf, connect } from "./McpSession.ts"
import { onOneDriver } from "./onEveryDriver.ts"
import { ANSWERED, NO_TARGET, OUTSIDE, UNKNOWN } from "./targetingCases.ts"

/** Why a route has no tool. */
const WITHOUT_TOOL: Readonly<Record<string, string>> = {
  "namespaces.list": "workloads and costs name their namespaces; the list of tools is service's own",
  "workloads.act": "a model changes one workload at a time, each shown before it is done",
  "clusters.watch": "a model asks once, and does not wait for what comes",
  "workloads.watch": "a model asks once, and does not wait for what comes",
  "apiKeys.create": "a raw key must not pass through a model",
  "apiKeys.list": "keys are the business of people",
  "apiKeys.get": "keys are the business of people",
  "apiKeys.update": "keys are the business of people",
  "apiKeys.revoke": "keys are the business of people",
  "apiKeys.rotate": "a raw key must not pass through a model",
  "audit.list": "who did what is judged by people",
  "prices.get": "explain_cost tells the prices behind a row",
  "clusters.register": "a credential goes with it, which no model should see; people register clusters",
  "clusters.drop": "as with registering",
  "prices.replace": "a price changes everybody's figures; people put it",
  "health.healthz": "for whoever runs the process",
  "health.readyz": "for whoever runs the process",
  "session.create": "of the page alone",
  "session.get": "of the page alone",
  "session.end": "of the page alone"
}

/** Cases that no tool can be given: what they show of a header is not there to be shown. */
const OF_HEADERS_ALONE = new Set(["more than 4 KiB"])

/** The names that a case's header spells, as a tool is given them; `undefined` where it spells none. */
const clustersOf = ({ headers = [] }: Call): ReadonlyArray<string> | undefined => {
  const value = headers.find(([name]) => name.toLowerCase() === "x-service-cluster")?.[1]
  if (value === undefined) return undefined
  if (/^\s*"?\*"?\s*$/.test(value)) return ["*"]
  return value.split("|").map((name) => (name.trim() === "" ? name : name.trim()))
}

const givenFor = (call: Call): Record<string, unknown> => {
  const clusters = clustersOf(call)
  return clusters === undefined ? {} : { clusters }
}

/** Asks both ways, and gives the codes; `undefined` where it was answered. */
const askBoth = (
  key: string,
  route: readonly [path: string, call: Call],
  tool: string,
  given: Record<string, unknown>
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const deployment = yield* Deployment
      const [path, call] = route
      const reply = yield* deployment.call(path, { ...call, bearer: key })
      const rest: unknown = JSON.parse(reply.text)
      const told = yield* callTool(yield* connect(deployment.url, key), tool, given)
      return { rest: { code: at(rest, "code"), body: rest }, mcp: { code: codeOf(told), answer: told.answer } }
    })
  )

const WORKLOADS = "/api/v1/workloads?limit=50"
const PODS = "/api/v1/pods?limit=50"

const Drawn = Schema.Struct({
  role: Role,
  clusters: Schema.Array(Schema.Literals(["hub", "prod", "later"])).check(Schema.isMaxLength(2)),
  namespaces: Schema.Array(Schema.Literals(["shop", "payments", "nowhere"])).check(Schema.isMaxLength(2)),
  tool: Schema.Literals(["list_workloads", "list_pods", "cost_by_workload", "list_clusters"]),
  cluster: Schema.Literals(["", "*", "hub", "prod", "stage", "later", "nowhere"]),
  namespace: Schema.Literals(["", "shop", "payments", "nowhere"])
})

/** A question as REST is asked it, and as a tool is. */
const questionOf = ({ cluster, namespace, tool }: typeof Drawn.Type) => {
  const headers: Call["headers"] = cluster === "" ? [] : [["X-Service-Cluster", cluster]]
  const clusters = cluster === "" ? {} : { clusters: [cluster] }
  const route = (): readonly [string, Call] => {
    if (tool === "list_clusters") return ["/api/v1/clusters", { headers }]
    if (tool === "list_workloads" || tool === "list_pods") {
      const list = tool === "list_pods" ? "pods" : "workloads"
      return [`/api/v1/${list}${namespace === "" ? "" : `?namespace=${namespace}`}`, { headers }]
    }
    const body = namespace === "" ? {} : { namespaces: [namespace] }
    return ["/detailedCostReport/getWorkloads", { method: "POST", headers, body }]
  }
  const named =
    tool === "list_workloads" || tool === "list_pods" ? { namespace: [namespace] } : { namespaces: [namespace] }
  return { route: route(), given: { ...clusters, ...(namespace === "" || tool === "list_clusters" ? {} : named) } }
}

onOneDriver("mcp beside REST", { prepare: (fleet) => Seed.fill(fleet) }, (it) => {
  it.effect("every route has its tool, or a reason why it has none", () =>
    Effect.sync(() => {
      const withTool = McpTools.all.map(({ endpoint }) => endpoint.name)
      assert.deepStrictEqual(
        Endpoints.all.map(({ name }) => name).toSorted(),
        [...withTool, ...Object.keys(WITHOUT_TOOL)].toSorted()
      )
    })
  )

  it.effect.each(ANSWERED)("answers alike: %s", ([, call, clusters]) =>
    Effect.gen(function* () {
      const key = rawKey(call.key ?? "viewer")
      const { mcp, rest } = yield* askBoth(key, [WORKLOADS, call], "list_workloads", givenFor(call))
      assert.deepStrictEqual(at(mcp.answer, "workloads"), at(rest.body, "workloads"))
      assert.strictEqual(at(mcp.answer, "coverage", "clusters"), clusters.length)
      const pods = yield* askBoth(key, [PODS, call], "list_pods", givenFor(call))
      assert.deepStrictEqual(at(pods.mcp.answer, "pods"), at(pods.rest.body, "pods"))
    })
  )

  it.effect.each(NO_TARGET.filter(([name]) => !OF_HEADERS_ALONE.has(name)))("spells no target: %s", ([, value]) =>
    Effect.gen(function* () {
      const call: Call = { headers: [["X-Service-Cluster", value]] }
      const { mcp, rest } = yield* askBoth(rawKey("viewer"), [WORKLOADS, call], "list_workloads", givenFor(call))
      assert.strictEqual(rest.code, "invalid_target")
      assert.strictEqual(mcp.code, rest.code)
    })
  )

  it.effect.each([...OUTSIDE, ...UNKNOWN])("refuses alike: %s", ([, key, target]) =>
    Effect.gen(function* () {
      const call: Call = { headers: [["X-Service-Cluster", target]] }
      const { mcp, rest } = yield* askBoth(rawKey(key), [WORKLOADS, call], "list_workloads", givenFor(call))
      assert.isDefined(rest.code)
      assert.strictEqual(mcp.code, rest.code)
      const inClusters = yield* askBoth(rawKey(key), ["/api/v1/clusters", call], "list_clusters", givenFor(call))
      assert.strictEqual(inClusters.mcp.code, inClusters.rest.code)
    })
  )

  it.effect("refuses alike a key that does not reach the parent and names no cluster", () =>
    Effect.gen(function* () {
      const { mcp, rest } = yield* askBoth(rawKey("prodViewer"), [WORKLOADS, {}], "list_workloads", {})
      assert.strictEqual(rest.code, "cluster_forbidden")
      assert.strictEqual(mcp.code, rest.code)
    })
  )

  it.effect.each(ROLES)("lets the same keys through: %s", ([, path, call, allowed, refused]) =>
    Effect.gen(function* () {
      const tool = McpTools.all.find(
        ({ endpoint }) => endpoint.path === path && endpoint.method === (call.method ?? "GET")
      )
      if (tool === undefined) {
        const endpoint = Endpoints.all.find((one) => one.path === path)
        return assert.isTrue(
          endpoint === undefined || endpoint.name in WITHOUT_TOOL,
          `${path} has neither tool nor reason`
        )
      }
      for (const key of [...allowed, ...refused]) {
        const { mcp, rest } = yield* askBoth(rawKey(key), [path, call], tool.name, {})
        assert.strictEqual(mcp.code, rest.code, key)
        assert.strictEqual(rest.code === undefined, allowed.includes(key), key)
      }
    })
  )

  it.effect.prop(
    "any rule is held to alike, whatever is asked",
    { drawn: Drawn },
    ({ drawn }) =>
      Effect.gen(function* () {
        const { clusters, namespaces, role, tool } = drawn
        const { raw } = yield* (yield* Deployment).createKey({
          name: "drawn",
          rule: {
            role,
            ...(clusters.length === 0 ? {} : { targetClusters: [...new Set(clusters)] }),
            ...(namespaces.length === 0 ? {} : { targetNamespaces: [{ namespaceNames: [...new Set(namespaces)] }] })
          }
        })
        const { given, route } = questionOf(drawn)
        const { mcp, rest } = yield* askBoth(raw, route, tool, given)
        assert.strictEqual(mcp.code, rest.code)
      }),
    { arbitrary: { runs: 40 } }
  )

  it.effect("a resource that is one cluster's is read of none when all are named", () =>
    Effect.gen(function* () {
      const client = yield* connect((yield* Deployment).url, rawKey("viewer"))
      const uri = "quarterdeck://workloads/*/shop/Deployment/web"
      const refused = yield* Effect.flip(Effect.tryPromise(() => client.readResource({ uri })))
      assert.include(String(refused.cause), "cluster must be one name, not *: take it from list_clusters")
    })
  )

  it.effect.each(["expired", "nobody"])(
    "a key that is none is refused before the protocol, with the same code: %s",
    (name) =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const rest = yield* deployment.problem("/api/v1/whoami", { bearer: rawKey(name) })
        const mcp = yield* deployment.problem("/mcp", { method: "POST", bearer: rawKey(name), body: {} })
        assert.strictEqual(mcp.status, 401)
        assert.strictEqual(mcp.code, rest.code)
      })
  )
})
