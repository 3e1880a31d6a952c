/** Who may look at one workload, by REST and by MCP, and what is told when its cluster does not answer as it should. */
import { assert } from "@effect/vitest"
import type { Code } from "@quarterdeck/contract/Problem"
import { Fault } from "@quarterdeck/harness"
import { Effect, Option } from "effect"
import { make, prepare } from "./actedOn.ts"
import { type Call, Deployment, type KeyName, rawKey, to } from "./Deployment.ts"
import { at, callTool, codeOf, connect } from "./McpSession.ts"
import { onOneDriver } from "./onEveryDriver.ts"

/** A key, where it looks, and what it is refused with, if it is. */
const CASES: ReadonlyArray<[KeyName, cluster: string, namespace: string, code: string | undefined]> = [
  ["viewer", "prod", "shop", undefined],
  ["viewer", "nowhere", "shop", "cluster_not_found"],
  ["prodViewer", "prod", "shop", undefined],
  ["prodViewer", "hub", "shop", "cluster_forbidden"],
  ["prodViewer", "nowhere", "shop", "cluster_forbidden"],
  ["shopViewer", "prod", "shop", undefined],
  ["shopViewer", "prod", "payments", "namespace_forbidden"],
  ["shopViewer", "prod", "nowhere", "namespace_forbidden"],
  ["teamViewer", "prod", "shop", undefined],
  ["teamViewer", "prod", "payments", "namespace_forbidden"],
  ["operator", "prod", "payments", undefined],
  ["shopOperator", "prod", "payments", "namespace_forbidden"],
  ["admin", "prod", "shop", undefined],
  ["prodAdmin", "hub", "shop", "cluster_forbidden"],
  ["shopAdmin", "prod", "payments", "namespace_forbidden"]
]

/** What has come through to the clusters of one object alone: watches and probes ask for none. */
const sent = Effect.gen(function* () {
  let count = 0
  for (const { faults } of (yield* Deployment).fleet.clusters) {
    const { requests } = yield* Option.getOrThrow(faults).counters
    for (const [what, times] of requests) if (what.startsWith("get deployments")) count += times
  }
  return count
})

const WEB = "/api/v1/workloads/prod/shop/Deployment/seen"

onOneDriver(
  "who may look at a workload",
  {
    children: ["prod"],
    faults: true,
    prepare: (fleet) =>
      Effect.gen(function* () {
        for (const cluster of fleet.clusters) yield* prepare(cluster)
      })
  },
  (it) => {
    it.effect.each(CASES)("%s on %s in %s: %s", ([key, cluster, namespace, code]) =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const name = `by-${key.toLowerCase()}-${cluster}`
        if (code === undefined) yield* make("Deployment", name, namespace)
        const before = yield* sent
        const reply = yield* deployment.call(`/api/v1/workloads/${cluster}/${namespace}/Deployment/${name}`, { key })
        const rest: unknown = JSON.parse(reply.text)
        const client = yield* connect(deployment.url, rawKey(key))
        const told = yield* callTool(client, "get_workload", { cluster, namespace, kind: "Deployment", name })
        if (code === undefined) {
          assert.strictEqual(reply.status, 200, reply.text)
          assert.strictEqual(reply.headers["cache-control"], "no-store")
          assert.deepStrictEqual(at(told.answer, "workload"), at(rest, "workload"))
          assert.isAtLeast(yield* sent, before + 2)
        } else {
          assert.deepStrictEqual([reply.status, at(rest, "code")], [code === "cluster_not_found" ? 404 : 403, code])
          assert.strictEqual(codeOf(told), code)
          assert.strictEqual(yield* sent, before, "something was sent")
        }
      }).pipe(Effect.scoped)
    )

    it.effect.each<[string, string, Call, number, Code, string]>([
      ["a header of another cluster", WEB, { headers: to("hub") }, 400, "invalid_target", "X-Service-Cluster"],
      ["an unknown parameter", `${WEB}?consistency=cache`, {}, 400, "unknown_parameter", "consistency"],
      [
        "a name with a path in it",
        "/api/v1/workloads/prod/shop/Deployment/x%2Fscale",
        {},
        400,
        "invalid_parameter",
        "name"
      ],
      ["a kind that is none", "/api/v1/workloads/prod/shop/deployments/web", {}, 400, "invalid_parameter", "kind"]
    ])("refuses %s", ([, path, call, status, code, field]) =>
      Effect.gen(function* () {
        const before = yield* sent
        assert.deepInclude(yield* (yield* Deployment).problem(path, call), { status, code, field })
        assert.strictEqual(yield* sent, before, "something was sent")
      })
    )

    it.effect("a cluster that does not answer is told as for lists", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const prod = yield* deployment.fleet.cluster("prod")
        yield* prod.inject(
          Fault.fixedReply({ match: { verbs: ["get"], resources: ["deployments"] }, status: 503, body: "" })
        )
        const problem = yield* deployment.problem(WEB)
        assert.deepInclude(problem, { status: 502, code: "cluster_unreachable" })
      }).pipe(Effect.scoped)
    )

    it.effect("pods that the service may not read are told as missing, and the workload is shown", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        yield* make("Deployment", "half")
        const prod = yield* deployment.fleet.cluster("prod")
        const body = JSON.stringify({ kind: "Status", apiVersion: "v1", code: 403, reason: "Forbidden", message: "no" })
        yield* prod.inject(Fault.fixedReply({ match: { verbs: ["list"], resources: ["pods"] }, status: 403, body }))
        const { status, text } = yield* deployment.call("/api/v1/workloads/prod/shop/Deployment/half")
        const reply: unknown = JSON.parse(text)
        assert.deepStrictEqual([status, at(reply, "partial"), at(reply, "workload", "name")], [200, true, "half"])
        assert.include(text, '"missingKinds":["Pod"]')
      }).pipe(Effect.scoped)
    )
  }
)
