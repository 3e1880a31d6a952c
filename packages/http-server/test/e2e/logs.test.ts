/** What containers have written, and who may read it, by REST and by MCP. */
import { assert } from "@effect/vitest"
import type { Code } from "@quarterdeck/contract/Problem"
import { Fault } from "@quarterdeck/harness"
import { Effect, Option, Redacted } from "effect"
import { prepare } from "./actedOn.ts"
import { type Call, Deployment, type KeyName, rawKey, to } from "./Deployment.ts"
import { at, callTool, codeOf, connect } from "./McpSession.ts"
import { onOneDriver } from "./onEveryDriver.ts"
import { podOf } from "./writtenPods.ts"

const LINES = Array.from({ length: 600 }, (_, line) => `line ${line}`)

const WEB = "/api/v1/pods/prod/shop/web/logs"
const PAIR = "/api/v1/pods/prod/shop/pair/logs"

/** A key, the pod's cluster and namespace, and what it is refused with, if it is. */
const CASES: ReadonlyArray<[KeyName, cluster: string, namespace: string, code: string | undefined]> = [
  ["viewer", "prod", "shop", "role_forbidden"],
  ["shopViewer", "prod", "shop", "role_forbidden"],
  ["operator", "prod", "shop", undefined],
  ["operator", "nowhere", "shop", "cluster_not_found"],
  ["prodOperator", "prod", "shop", undefined],
  ["prodOperator", "hub", "shop", "cluster_forbidden"],
  ["shopOperator", "prod", "shop", undefined],
  ["shopOperator", "prod", "payments", "namespace_forbidden"],
  ["shopOperator", "prod", "nowhere", "namespace_forbidden"],
  ["teamOperator", "prod", "shop", undefined],
  ["teamOperator", "prod", "payments", "namespace_forbidden"],
  ["admin", "prod", "shop", undefined],
  ["prodAdmin", "hub", "shop", "cluster_forbidden"],
  ["shopAdmin", "prod", "payments", "namespace_forbidden"]
]

/** What has been asked of pods, of any cluster. */
const asked = Effect.gen(function* () {
  let count = 0
  for (const { faults } of (yield* Deployment).fleet.clusters) {
    const { requests } = yield* Option.getOrThrow(faults).counters
    for (const [what, times] of requests) if (what.startsWith("get pods")) count += times
  }
  return count
})

const read = Effect.fnUntraced(function* (path: string, call: Call = {}) {
  return yield* (yield* Deployment).call(path, { key: "operator", ...call })
})

const refused = Effect.fnUntraced(function* (path: string, call: Call = {}) {
  return yield* (yield* Deployment).problem(path, { key: "operator", ...call })
})

onOneDriver(
  "logs of pods",
  {
    children: ["prod"],
    faults: true,
    prepare: (fleet) =>
      Effect.gen(function* () {
        const prod = yield* fleet.cluster("prod")
        yield* prepare(prod)
        yield* prod.api.create({ apiVersion: "v1", kind: "Node", metadata: { name: "n1" } })
        yield* prod.api.create(podOf("web", "shop", { main: LINES.join("\n") }))
        yield* prod.api.create(podOf("pair", "shop", { main: "of main", side: "of side" }))
      })
  },
  (it) => {
    it.effect.each(CASES)("%s on %s in %s: %s", ([key, cluster, namespace, code]) =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const before = yield* asked
        const { status, text } = yield* deployment.call(`/api/v1/pods/${cluster}/${namespace}/web/logs`, { key })
        const client = yield* connect(deployment.url, rawKey(key))
        const told = yield* callTool(client, "get_pod_logs", { cluster, namespace, name: "web" })
        if (code === undefined) {
          assert.strictEqual(status, 200, text)
          assert.strictEqual(text, `${LINES.slice(-500).join("\n")}\n`)
          assert.deepInclude(told.answer, { log: text, lines: 500, truncated: false })
          assert.isAbove(yield* asked, before)
        } else {
          const problem: unknown = JSON.parse(text)
          assert.deepStrictEqual([status, at(problem, "code")], [code === "cluster_not_found" ? 404 : 403, code])
          assert.strictEqual(codeOf(told), code)
          assert.strictEqual(yield* asked, before, "something was sent")
        }
      }).pipe(Effect.scoped)
    )

    it.effect("gives the newest lines, as plain text that nobody may keep", () =>
      Effect.gen(function* () {
        const { headers, text } = yield* read(`${WEB}?tailLines=2`)
        assert.strictEqual(text, "line 598\nline 599\n")
        assert.strictEqual(headers["content-type"], "text/plain; charset=utf-8")
        assert.strictEqual(headers["cache-control"], "no-store")
        assert.isUndefined(headers["x-quarterdeck-truncated"])
      })
    )

    it.effect("reads the container that is named, and names those that there are where none is", () =>
      Effect.gen(function* () {
        assert.strictEqual((yield* read(`${PAIR}?container=side`)).text, "of side\n")
        for (const query of ["", "?container=other"]) {
          const problem = yield* refused(`${PAIR}${query}`)
          assert.deepInclude(problem, { status: 400, code: "invalid_parameter", field: "container" })
          assert.include(problem.detail, "main, side")
        }
      })
    )

    it.effect.each<[string, string, Call, number, Code, string]>([
      ["a pod that is not there", "/api/v1/pods/prod/shop/nobody/logs", {}, 404, "pod_not_found", "name"],
      ["a name with a path in it", "/api/v1/pods/prod/shop/web%2Fproxy%2Fx/logs", {}, 400, "invalid_parameter", "name"],
      ["a name in capitals", "/api/v1/pods/prod/shop/Web/logs", {}, 400, "invalid_parameter", "name"],
      [
        "a namespace that leads elsewhere",
        "/api/v1/pods/prod/shop%2F../web/logs",
        {},
        400,
        "invalid_parameter",
        "namespace"
      ],
      ["more lines than are given", `${WEB}?tailLines=10001`, {}, 400, "invalid_parameter", "tailLines"],
      ["no lines", `${WEB}?tailLines=0`, {}, 400, "invalid_parameter", "tailLines"],
      ["a time that is none", `${WEB}?sinceSeconds=1m`, {}, 400, "invalid_parameter", "sinceSeconds"],
      ["an unknown parameter", `${WEB}?tail=5`, {}, 400, "unknown_parameter", "tail"],
      ["a header of another cluster", WEB, { headers: to("hub") }, 400, "invalid_target", "X-Service-Cluster"]
    ])("refuses %s", ([, path, call, status, code, field]) =>
      Effect.gen(function* () {
        const before = yield* asked
        assert.deepInclude(yield* refused(path, call), { status, code, field })
        if (status === 400) assert.strictEqual(yield* asked, before, "something was sent")
      })
    )

    it.effect("of a node that does not answer say what the cluster said, and nothing of the cluster itself", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const prod = yield* deployment.fleet.cluster("prod")
        const message = 'Get "https://10.0.0.1:10250/containerLogs/shop/web/main": dial tcp 10.0.0.1:10250: i/o timeout'
        const body = JSON.stringify({ kind: "Status", apiVersion: "v1", code: 500, reason: "InternalError", message })
        yield* prod.inject(Fault.fixedReply({ match: { verbs: ["get"], resources: ["pods/log"] }, status: 500, body }))
        for (let time = 0; time < 4; time++) {
          const problem = yield* refused(WEB)
          assert.deepInclude(problem, { status: 409, code: "logs_unavailable" })
          assert.include(problem.detail, "dial tcp 10.0.0.1:10250: i/o timeout")
        }
        const { clusters } = yield* deployment.pods("?limit=1", { headers: to("prod") })
        assert.deepStrictEqual(
          clusters.map(({ status }) => status),
          ["ok"]
        )
      }).pipe(Effect.scoped)
    )

    it.effect("keep the service's own credential out of what a cluster says", () =>
      Effect.gen(function* () {
        const prod = yield* (yield* Deployment).fleet.cluster("prod")
        const secret = Redacted.value(yield* prod.token("admin"))
        const body = JSON.stringify({ kind: "Status", code: 404, message: `nothing here for ${secret}` })
        yield* prod.inject(Fault.fixedReply({ match: { resources: ["pods/log"] }, status: 404, body }))
        const problem = yield* refused(WEB)
        assert.strictEqual(problem.code, "logs_unavailable")
        assert.include(problem.detail, "nothing here for ***")
      }).pipe(Effect.scoped)
    )

    it.effect("tells what the cluster said where the container has no log", () =>
      Effect.gen(function* () {
        const { api } = yield* (yield* Deployment).fleet.cluster("prod")
        const pod = podOf("lost", "shop", { main: "x" })
        yield* api.create({
          ...pod,
          spec: { ...pod.spec, nodeName: "gone" },
          metadata: { name: "lost", namespace: "shop" }
        })
        const problem = yield* refused("/api/v1/pods/prod/shop/lost/logs")
        assert.deepInclude(problem, { status: 409, code: "logs_unavailable" })
        assert.include(problem.detail, "gone")
      })
    )
  }
)
