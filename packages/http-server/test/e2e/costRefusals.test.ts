import { assert } from "@effect/vitest"
import type { Code } from "@quarterdeck/contract/Problem"
import { Effect } from "effect"
import { keep } from "./costHistory.ts"
import { type Call, Deployment, to } from "./Deployment.ts"
import { onOneDriver } from "./onEveryDriver.ts"

const WORKLOADS = "/detailedCostReport/getWorkloads"
const GROUPS = "/detailedCostReport/getAggregated"
const EXPLANATION = "/api/v1/costExplanation"

const refused = (route: string, call: Call) => Deployment.use((deployment) => deployment.problem(route, call))
const post = (body: unknown, rest: Call = {}): Call => ({ method: "POST", body, ...rest })
const JSON_TYPE = ["Content-Type", "application/json"] as const
const DAY_MS = 86_400_000

onOneDriver("refused cost reports", { children: ["prod"], furnish: keep(["hub", "prod"]) }, (it) => {
  it.effect.each<[string, string, string, Code, string | undefined]>([
    ["a unit that does not exist", "?range=7y", "range", "invalid_parameter", "7d"],
    ["a range without a number", "?range=d", "range", "invalid_parameter", "7d"],
    ["an empty range", "?range=", "range", "invalid_parameter", "7d"],
    ["a range of zero", "?range=0d", "range", "invalid_parameter", "1 to 9999"],
    [
      "a range and an instant",
      "?range=7d&from=1700000000000",
      "range",
      "invalid_parameter",
      "cannot be combined with from or to"
    ],
    ["a range that reaches further back than what is kept", "?range=401d", "range", "invalid_parameter", "400 days"],
    ["an instant that is none", "?from=yesterday", "from", "invalid_parameter", "RFC 3339"],
    ["30 February", "?from=2026-02-30T00:00:00Z", "from", "invalid_parameter", "RFC 3339"],
    ["an end without a beginning", "?to=1700000000000", "to", "invalid_parameter", "from"],
    ["a window in the future", "?from=2999-01-01T00:00:00Z", "from", "invalid_parameter", "past"],
    ["a range that stands twice", "?range=7d&range=8d", "range", "invalid_parameter", "range: may be given once"],
    ["a limit that is too high", "?limit=5001", "limit", "invalid_parameter", "5000"],
    ["a limit of zero", "?limit=0", "limit", "invalid_parameter", "5000"],
    ["a format that does not exist", "?format=xml", "format", "invalid_parameter", "focus"],
    ["pages of a file", "?format=csv&cursor=abc", "cursor", "invalid_parameter", "format=csv, which has no pages"],
    [
      "a cursor that nobody gave",
      "?cursor=abc",
      "cursor",
      "invalid_cursor",
      "not valid for this route, API key, filter and sort"
    ],
    [
      "a parameter that does not exist",
      "?step=1d",
      "step",
      "unknown_parameter",
      "allowed: range, from, to, limit, cursor, format"
    ],
    ["a body field in the query", "?multiCluster=true", "multiCluster", "unknown_parameter", undefined],
    ["a target in the query", "?clusters=prod", "clusters", "unknown_parameter", undefined]
  ])("400 for %s", ([, query, field, code, told]) =>
    Effect.gen(function* () {
      for (const [route, body] of [
        [WORKLOADS, {}],
        [GROUPS, { groupBy: [] }]
      ] as const) {
        const problem = yield* refused(`${route}${query}`, post(body))
        assert.deepInclude(problem, { status: 400, code, field }, route)
        if (told !== undefined && !(route === GROUPS && field === "format")) assert.include(problem.detail, told)
      }
    })
  )

  it.effect("400 for windows that are empty, reversed or older than what is kept", () =>
    Effect.gen(function* () {
      const nowMs = Date.now()
      const windows: ReadonlyArray<readonly [from: number, to: number, field: string]> = [
        [nowMs - DAY_MS, nowMs - DAY_MS, "to"],
        [nowMs - DAY_MS, nowMs - 2 * DAY_MS, "to"],
        [nowMs - 401 * DAY_MS, nowMs, "from"]
      ]
      for (const [from, end, field] of windows) {
        const problem = yield* refused(`${WORKLOADS}?from=${from}&to=${end}`, post({}))
        assert.deepInclude(problem, { status: 400, code: "invalid_parameter", field })
      }
    })
  )

  it.effect.each<[string, string, unknown, Code, string | undefined]>([
    ["an unknown field", WORKLOADS, { namespace: "shop" }, "invalid_body", "namespace"],
    ["a text for a list", WORKLOADS, { namespaces: "shop" }, "invalid_body", "namespaces"],
    ["an empty list", WORKLOADS, { workloadTypes: [] }, "invalid_body", "workloadTypes"],
    ["null for a list", WORKLOADS, { namespaces: null }, "invalid_body", "namespaces"],
    ["a number in a list", WORKLOADS, { namespaces: ["shop", 7] }, "invalid_body", "namespaces[1]"],
    ["what is no kind", WORKLOADS, { workloadTypes: ["deployment"] }, "invalid_body", "workloadTypes[0]"],
    ["what is no namespace", WORKLOADS, { namespaces: ["Shop"] }, "invalid_body", "namespaces[0]"],
    ["a text for multiCluster", WORKLOADS, { multiCluster: "true" }, "invalid_body", "multiCluster"],
    ["a wrong type in an ignored list", WORKLOADS, { clusters: [7] }, "invalid_body", "clusters[0]"],
    ["a wrong name in an ignored list", WORKLOADS, { clusters: ["-prod"] }, "invalid_target", "clusters[0]"],
    [
      "a text for the list of clusters",
      WORKLOADS,
      { multiCluster: true, clusters: "prod" },
      "invalid_body",
      "clusters"
    ],
    ["a wildcard among names", WORKLOADS, { multiCluster: true, clusters: ["*"] }, "invalid_target", "clusters[0]"],
    ["joined names", WORKLOADS, { multiCluster: true, clusters: ["hub|prod"] }, "invalid_target", "clusters[0]"],
    ["no cluster", WORKLOADS, { multiCluster: true, clusters: [] }, "empty_cluster_list", "clusters"],
    ["null clusters", WORKLOADS, { multiCluster: true, clusters: null }, "empty_cluster_list", "clusters"],
    ["a list instead of an object", WORKLOADS, [], "invalid_body", "body"],
    ["an empty label selector", WORKLOADS, { labelSelector: "" }, "invalid_body", "labelSelector"],
    ["labels that are no text", GROUPS, { groupBy: [], labelSelector: { app: "a" } }, "invalid_body", "labelSelector"],
    ["a label selector that is none", WORKLOADS, { labelSelector: "app=,=b" }, "invalid_body", "labelSelector"],
    [
      "a label selector that is none, before what is out of reach",
      GROUPS,
      { groupBy: [], labelSelector: "app in ()", multiCluster: true, clusters: ["nowhere"] },
      "invalid_body",
      "labelSelector"
    ],
    ["no groupBy", GROUPS, {}, "invalid_body", "groupBy"],
    ["an unknown dimension", GROUPS, { groupBy: ["node"] }, "invalid_body", "groupBy[0]"],
    ["a dimension that stands twice", GROUPS, { groupBy: ["kind", "kind"] }, "invalid_body", "groupBy[1]"],
    ["a step that does not exist", GROUPS, { groupBy: [], stepSize: "month" }, "invalid_body", "stepSize"],
    ["idle that is no choice", GROUPS, { groupBy: [], idle: true }, "invalid_body", "idle"]
  ])("400 for a body with %s", ([, route, body, code, field]) =>
    Effect.gen(function* () {
      const problem = yield* refused(route, post(body))
      assert.deepInclude(problem, { status: 400, code, ...(field === undefined ? {} : { field }) })
    })
  )

  it.effect.each<[string, unknown, string]>([
    [WORKLOADS, [], "body: expected an object"],
    [WORKLOADS, null, "body: expected an object"],
    [WORKLOADS, { multiCluster: "true" }, "multiCluster: expected true or false"],
    [WORKLOADS, { clusters: "prod" }, "clusters: expected an array of cluster names"],
    [WORKLOADS, { namespaces: "shop" }, "namespaces: expected an array"],
    [
      WORKLOADS,
      { namespace: "shop" },
      "namespace: is not known here; allowed: namespaces, workloadTypes, labelSelector, compare, multiCluster, clusters"
    ],
    [GROUPS, { groupBy: [], stepSize: "month" }, "stepSize: expected hour, day or week"],
    [GROUPS, { groupBy: [], idle: true }, "idle: expected hide, show or share"]
  ])("400 says what is allowed in words of JSON, not of a programming language: %s %j", ([route, body, detail]) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* refused(route, post(JSON.stringify(body), { headers: [JSON_TYPE] }))).detail, detail)
    })
  )

  it.effect("400 for a member that stands twice, even to the same effect", () =>
    Effect.gen(function* () {
      const body = '{"multiCluster":true,"clusters":["prod"],"clusters":["prod"]}'
      const problem = yield* refused(WORKLOADS, post(body, { headers: [JSON_TYPE] }))
      assert.deepInclude(problem, { status: 400, code: "malformed_json", field: "clusters" })
    })
  )

  it.effect("400 for a bad header even where the body's list wins", () =>
    Effect.gen(function* () {
      const body = { multiCluster: true, clusters: ["prod"] }
      for (const headers of [to("a||b"), [...to("prod"), ...to("prod")]]) {
        const problem = yield* refused(WORKLOADS, post(body, { headers }))
        assert.deepInclude(problem, { status: 400, code: "invalid_target", field: "X-Service-Cluster" })
      }
    })
  )

  it.effect.each<[string, Call, number, Code, string | undefined]>([
    ["the parent is out of scope", { key: "prodViewer" }, 403, "cluster_forbidden", undefined],
    [
      "one of several is",
      { key: "prodViewer", body: { multiCluster: true, clusters: ["prod", "hub"] } },
      403,
      "cluster_forbidden",
      undefined
    ],
    ["nobody has the name", { headers: to("nowhere") }, 404, "cluster_not_found", "X-Service-Cluster"],
    [
      "nobody has a name of the list",
      { body: { multiCluster: true, clusters: ["hub", "nowhere"] } },
      404,
      "cluster_not_found",
      "clusters"
    ],
    [
      "a namespace is out of scope",
      { key: "shopViewer", body: { namespaces: ["shop", "payments"] } },
      403,
      "namespace_forbidden",
      "namespaces"
    ],
    [
      "a namespace is out of scope and does not exist",
      { key: "shopViewer", body: { namespaces: ["nowhere"] } },
      403,
      "namespace_forbidden",
      "namespaces"
    ]
  ])("refuses with no data when %s", ([, call, status, code, field]) =>
    Effect.gen(function* () {
      const problem = yield* refused(WORKLOADS, { method: "POST", ...call })
      assert.deepInclude(problem, { status, code, ...(field === undefined ? {} : { field }) })
      assert.notInclude(problem.reply.text, "aggregatedWorkloads")
    })
  )

  it.effect("403 for idle costs asked for by a key with a namespace scope; a cluster scope may", () =>
    Effect.gen(function* () {
      const deployment = yield* Deployment
      for (const idle of ["show", "share"]) {
        const problem = yield* refused(GROUPS, post({ groupBy: [], idle }, { key: "shopViewer" }))
        assert.deepInclude(problem, { status: 403, code: "namespace_forbidden", field: "idle" })
      }
      const call: Call = { key: "prodViewer", headers: to("prod") }
      const reply = yield* deployment.costGroups("", { groupBy: ["cluster"], idle: "show" }, call)
      assert.isTrue("rows" in reply && reply.rows.some(({ idle }) => idle === true))
    })
  )

  it.effect.each<[string, string, Call, number, Code, string | undefined]>([
    ["no cluster", "?id=hub/shop/Deployment/api", {}, 400, "invalid_parameter", "cluster"],
    ["no id", "?cluster=hub", {}, 400, "invalid_parameter", "id"],
    ["an id that is none", "?cluster=hub&id=api", {}, 400, "invalid_parameter", "id"],
    ["another cluster's id", "?cluster=hub&id=prod/shop/Deployment/api", {}, 400, "invalid_parameter", "id"],
    ["a wrong range", "?cluster=hub&id=hub/shop/Deployment/api&range=x", {}, 400, "invalid_parameter", "range"],
    ["pages", "?cluster=hub&id=hub/shop/Deployment/api&limit=1", {}, 400, "unknown_parameter", "limit"],
    ["a row that nobody has", "?cluster=hub&id=hub/shop/Deployment/no", {}, 404, "cost_row_not_found", "id"],
    ["a cluster that nobody has", "?cluster=no&id=no/shop/Deployment/api", {}, 404, "cluster_not_found", "cluster"],
    [
      "a cluster out of scope",
      "?cluster=hub&id=hub/shop/Deployment/api",
      { key: "prodViewer" },
      403,
      "cluster_forbidden",
      undefined
    ],
    [
      "a namespace out of scope",
      "?cluster=hub&id=hub/payments/Deployment/ledger",
      { key: "shopViewer" },
      403,
      "namespace_forbidden",
      "id"
    ],
    [
      "a namespace out of scope without such a row",
      "?cluster=hub&id=hub/payments/Deployment/no",
      { key: "shopViewer" },
      403,
      "namespace_forbidden",
      "id"
    ]
  ])("an explanation is refused for %s", ([, query, call, status, code, field]) =>
    Effect.gen(function* () {
      const problem = yield* refused(`${EXPLANATION}${query}`, call)
      assert.deepInclude(problem, { status, code, ...(field === undefined ? {} : { field }) })
    })
  )

  it.effect.each<[string, string, Call, number, Code]>([
    [
      "credentials that cannot be read come first",
      `${WORKLOADS}?range=x`,
      {
        key: null,
        headers: [
          ["Authorization", "Basic ***"],
          ["Origin", "https://evil.example"]
        ]
      },
      400,
      "malformed_credential"
    ],
    [
      "then a foreign page",
      `${WORKLOADS}?range=x`,
      { key: null, headers: [["Origin", "https://evil.example"]] },
      403,
      "origin_forbidden"
    ],
    ["then who asks", `${WORKLOADS}?range=x`, { key: null, body: "x" }, 401, "missing_credential"],
    ["then the method", `${WORKLOADS}?range=x`, { method: "GET" }, 405, "method_not_allowed"],
    [
      "then the media type",
      `${WORKLOADS}?range=x`,
      { body: "x", headers: [["Content-Type", "text/plain"]] },
      415,
      "unsupported_media_type"
    ],
    ["then the size", `${WORKLOADS}?range=x`, { body: { namespaces: ["a".repeat(1_100_000)] } }, 413, "body_too_large"],
    ["then the syntax", `${WORKLOADS}?range=x`, { key: "prodViewer" }, 400, "invalid_parameter"],
    ["also of the body", WORKLOADS, { key: "prodViewer", body: { namespace: "x" } }, 400, "invalid_body"],
    ["then the scope", WORKLOADS, { key: "prodViewer" }, 403, "cluster_forbidden"],
    ["the path is spelled in one way", "/detailedcostreport/getWorkloads", {}, 404, "not_found"],
    ["and has no prefix", `/api/v1${WORKLOADS}`, {}, 404, "not_found"]
  ])("order of checks: %s", ([, route, call, status, code]) =>
    Effect.gen(function* () {
      assert.deepInclude(yield* refused(route, { method: "POST", ...call }), { status, code })
    })
  )
})
