/** Who may act, by REST and by MCP, and that nothing reaches a cluster of what is refused. */
import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { act, at as memberAt, make, objectOf, prepare } from "./actedOn.ts"
import { Deployment, type KeyName, rawKey } from "./Deployment.ts"
import { at, callTool, codeOf, connect } from "./McpSession.ts"
import { onOneDriver } from "./onEveryDriver.ts"

/** Each action, its tool and its body. */
const ACTIONS = [
  ["scale", "scale_workload", { replicas: 2 }],
  ["restart", "restart_workload", {}],
  ["pause", "pause_rollout", {}],
  ["resume", "resume_rollout", {}]
] as const

/** A key, where it acts, and what it is refused with, if it is. */
const CASES: ReadonlyArray<[KeyName, cluster: string, namespace: string, code: string | undefined]> = [
  ["viewer", "prod", "shop", "role_forbidden"],
  ["prodViewer", "prod", "shop", "role_forbidden"],
  ["shopViewer", "prod", "shop", "role_forbidden"],
  ["teamViewer", "prod", "shop", "role_forbidden"],
  ["operator", "prod", "shop", undefined],
  ["operator", "prod", "payments", undefined],
  ["operator", "nowhere", "shop", "cluster_not_found"],
  ["prodOperator", "prod", "payments", undefined],
  ["prodOperator", "hub", "shop", "cluster_forbidden"],
  ["prodOperator", "nowhere", "shop", "cluster_forbidden"],
  ["shopOperator", "prod", "shop", undefined],
  ["shopOperator", "prod", "payments", "namespace_forbidden"],
  ["shopOperator", "prod", "nowhere", "namespace_forbidden"],
  ["teamOperator", "prod", "shop", undefined],
  ["teamOperator", "prod", "payments", "namespace_forbidden"],
  ["teamOperator", "prod", "nowhere", "namespace_forbidden"],
  ["admin", "prod", "shop", undefined],
  ["prodAdmin", "prod", "shop", undefined],
  ["prodAdmin", "hub", "shop", "cluster_forbidden"],
  ["shopAdmin", "prod", "shop", undefined],
  ["shopAdmin", "prod", "payments", "namespace_forbidden"]
]

/** What has come through to the clusters of any Deployment, by what it was. */
const sent = Effect.gen(function* () {
  const { clusters } = (yield* Deployment).fleet
  const counts: Array<number> = []
  for (const { faults } of clusters) {
    const { requests } = yield* Option.getOrThrow(faults).counters
    for (const [what, count] of requests) if (/^(?:get|patch|update) deployments/.test(what)) counts.push(count)
  }
  return counts.reduce((sum, count) => sum + count, 0)
})

onOneDriver(
  "who may act",
  {
    children: ["prod"],
    faults: true,
    prepare: (fleet) =>
      Effect.forEach(["hub", "prod"], (name) =>
        Effect.flatMap(name === "hub" ? Effect.succeed(fleet.parent) : fleet.cluster(name), prepare)
      )
  },
  (it) => {
    it.effect.each(CASES)("%s on %s in %s: %s", ([key, cluster, namespace, code]) =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        const name = `seen-by-${key.toLowerCase()}`
        if (code === undefined) yield* make("Deployment", name, namespace)
        const client = yield* connect(deployment.url, rawKey(key))
        for (const [action, tool, body] of ACTIONS) {
          const before = yield* sent
          const path = `/api/v1/workloads/${cluster}/${namespace}/Deployment/${name}/${action}`
          const reply = yield* deployment.call(path, { method: "POST", key, body })
          const rest: unknown = JSON.parse(reply.text)
          const given = { cluster, namespace, kind: "Deployment", name, ...body }
          const tried = yield* callTool(client, tool, given)
          const told = yield* callTool(client, tool, { ...given, dryRun: false })
          if (code === undefined) {
            assert.strictEqual(reply.status, 200, reply.text)
            assert.strictEqual(at(tried.answer, "status"), "dryRun")
            assert.strictEqual(at(told.answer, "status"), "applied")
            assert.isAtLeast(yield* sent, before + 6)
          } else {
            assert.deepStrictEqual([reply.status, at(rest, "code")], [code === "cluster_not_found" ? 404 : 403, code])
            assert.deepStrictEqual([codeOf(tried), codeOf(told)], [code, code])
            assert.strictEqual(yield* sent, before, "something was sent")
          }
        }
      }).pipe(Effect.scoped)
    )

    it.effect("a namespace that loses its label is out of reach, before anything of it is asked", () =>
      Effect.gen(function* () {
        const { api } = yield* (yield* Deployment).fleet.cluster("prod")
        yield* api.create({
          apiVersion: "v1",
          kind: "Namespace",
          metadata: { name: "moved", labels: { team: "other" } }
        })
        const path = yield* make("Deployment", "moving", "moved")
        const before = yield* sent
        const call = { method: "POST", key: "teamOperator", body: { replicas: 3 } } as const
        const problem = yield* (yield* Deployment).problem(`${path}/scale`, call)
        assert.deepInclude(problem, { status: 403, code: "namespace_forbidden", field: "namespace" })
        assert.strictEqual(yield* sent, before)
      })
    )

    it.effect.each([
      ["a name with a path in it", "shop", "web%2Fstatus", "name"],
      ["a name that leads out of its namespace", "shop", "x%2F..%2F..%2F..%2Fpayments%2Fdeployments%2Fweb", "name"],
      ["a name that no cluster takes", "shop", "Web", "name"],
      ["a namespace that leads elsewhere", "shop%2F..%2Fpayments", "web", "namespace"]
    ] as const)("refuses %s, and asks no cluster for it", ([, namespace, name, field]) =>
      Effect.gen(function* () {
        const before = yield* sent
        const path = `/api/v1/workloads/prod/${namespace}/Deployment/${name}/restart`
        const call = { method: "POST", key: "operator", body: {} } as const
        const problem = yield* (yield* Deployment).problem(path, call)
        assert.deepInclude(problem, { status: 400, code: "invalid_parameter", field })
        assert.strictEqual(yield* sent, before, "something was sent")
      })
    )

    it.effect("a tool changes nothing unless dryRun is said to be false", () =>
      Effect.gen(function* () {
        const path = yield* make("Deployment", "tried")
        const client = yield* connect((yield* Deployment).url, rawKey("operator"))
        const given = { cluster: "prod", namespace: "shop", kind: "Deployment", name: "tried", replicas: 4 }
        const { answer } = yield* callTool(client, "scale_workload", given)
        assert.deepStrictEqual([at(answer, "status"), at(answer, "after", "replicas")], ["dryRun", 4])
        assert.strictEqual(memberAt(yield* objectOf("Deployment", "tried"), "spec", "replicas"), 1)
        assert.strictEqual((yield* act(`${path}/scale`, { replicas: 1 })).before.replicas, 1)
        yield* callTool(client, "scale_workload", { ...given, dryRun: false })
        assert.strictEqual(memberAt(yield* objectOf("Deployment", "tried"), "spec", "replicas"), 4)
      }).pipe(Effect.scoped)
    )

    it.effect.each<[string, Record<string, unknown>, string, string]>([
      ["no cluster", { namespace: "shop", kind: "Deployment", name: "web" }, "invalid_parameter", "cluster"],
      [
        "a name that leads to another path",
        { cluster: "prod", namespace: "shop", kind: "Deployment", name: ".." },
        "invalid_parameter",
        "name"
      ],
      [
        "several clusters",
        { clusters: ["prod"], namespace: "shop", kind: "Deployment", name: "web" },
        "invalid_parameter",
        "cluster"
      ],
      [
        "a kind that cannot",
        { cluster: "prod", namespace: "shop", kind: "Job", name: "web" },
        "action_unsupported",
        "kind"
      ]
    ])("a tool refuses %s, and names it", ([, given, code, field]) =>
      Effect.gen(function* () {
        const client = yield* connect((yield* Deployment).url, rawKey("operator"))
        const { answer } = yield* callTool(client, "restart_workload", given)
        assert.deepInclude(at(answer, "error"), { code, field, status: 400 })
        assert.isString(at(answer, "next"))
      }).pipe(Effect.scoped)
    )
  }
)
