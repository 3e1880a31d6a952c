import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { aged } from "../ages.ts"
import { coverage, json, problem, quarterdeck, service } from "../program.ts"

const HOUR = 60 * 60_000

const resources = {
  cpuRequestMillis: 250,
  memoryRequestBytes: 1024 ** 3,
  cpuLimitMillis: 0,
  memoryLimitBytes: 2 * 1024 ** 3
}

const pod = (name: string, facts: Record<string, unknown> = {}) => ({
  id: `uid-${name}`,
  cluster: "prod",
  namespace: "shop",
  name,
  labels: {},
  owner: { kind: "Deployment", name: "web" },
  phase: "Running",
  status: "Running",
  readyContainers: 1,
  containers: 1,
  restarts: 0,
  node: "node-1",
  images: ["web:1"],
  ...resources,
  ...aged(3 * HOUR),
  ...facts
})

const reply = (facts: Record<string, unknown> = {}) => ({
  workload: {
    id: "uid-web",
    cluster: "prod",
    namespace: "shop",
    kind: "Deployment",
    name: "web",
    labels: {},
    images: ["web:1"],
    replicas: { desired: 2, ready: 1, updated: 2, available: 1 },
    status: "degraded",
    ...resources,
    ...aged(3 * HOUR),
    resourceVersion: "81322",
    selector: "app=web",
    conditions: [
      {
        type: "Available",
        status: "False",
        reason: "MinimumReplicasUnavailable",
        message: "Deployment does not have minimum availability.",
        lastTransitionAt: aged(3 * HOUR).createdAt
      }
    ],
    rollout: { revision: "4", isPaused: true, strategy: "RollingUpdate", progressDeadlineSeconds: 600 },
    containers: [
      {
        name: "main",
        image: "web:1",
        ...resources,
        ports: [{ name: "http", port: 8080, protocol: "TCP" }],
        restarts: 7
      }
    ]
  },
  pods: [pod("web-2", { status: "CrashLoopBackOff", readyContainers: 0, restarts: 7 }), pod("web-1")],
  podCount: 2,
  clusters: [{ ...coverage("prod"), source: "live" }],
  partial: false,
  ...facts
})

describe("quarterdeck get", () => {
  it.live("shows a workload, its rollout, containers, conditions and pods", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({ body: reply() }))
      const shown = yield* quarterdeck(["get", "deploy/web", "-n", "shop", "-c", "prod"], { env })
      assert.strictEqual(
        shown.stdout,
        `${[
          "CLUSTER  NAMESPACE  KIND        NAME  STATUS    READY  CPU   MEMORY  AGE",
          "prod     shop       Deployment  web   degraded  1/2    0.25  1Gi     3h",
          "",
          "Rollout:   RollingUpdate, revision 4, deadline 600 s, paused",
          "Selector:  app=web",
          "Version:   81322",
          "",
          "CONTAINER  IMAGE  CPU   MEMORY  CPU LIMIT  MEMORY LIMIT  PORTS          RESTARTS",
          "main       web:1  0.25  1Gi     <none>     2Gi           http:8080/TCP  7",
          "",
          "CONDITION  STATUS  REASON                      SINCE  MESSAGE",
          "Available  False   MinimumReplicasUnavailable  3h     Deployment does not have minimum availability.",
          "",
          "POD    READY  STATUS            RESTARTS  AGE  NODE",
          "web-2  0/1    CrashLoopBackOff  7         3h   node-1",
          "web-1  1/1    Running           0         3h   node-1"
        ].join("\n")}\n`
      )
      assert.deepStrictEqual([shown.status, shown.stderr], [0, ""])
      assert.deepStrictEqual(
        seen.map(({ method, url }) => `${method} ${url.pathname}`),
        ["GET /api/v1/workloads/prod/shop/Deployment/web"]
      )
    })
  )

  it.live("gives the whole reply as JSON, and says on standard error what is missing", () =>
    Effect.gen(function* () {
      const partial = reply({
        partial: true,
        pods: [],
        podCount: 0,
        clusters: [{ ...coverage("prod"), missingKinds: ["Pod"] }]
      })
      const { env } = yield* service(() => ({ body: partial }))
      const { status, stderr, stdout } = yield* quarterdeck(
        ["get", "deploy/web", "-n", "shop", "-c", "prod", "-o", "json"],
        { env }
      )
      assert.deepStrictEqual(json(stdout), json(JSON.stringify(partial)))
      assert.deepStrictEqual([status, stderr], [0, "quarterdeck: warning: cluster prod: rows of Pod are missing\n"])
    })
  )

  it.live("says how many pods are not shown", () =>
    Effect.gen(function* () {
      const { env } = yield* service(() => ({ body: reply({ podCount: 1_203 }) }))
      const { stdout } = yield* quarterdeck(["get", "deploy/web", "-n", "shop", "-c", "prod"], { env })
      assert.isTrue(stdout.endsWith("\n1201 more pods\n"), stdout)
    })
  )

  it.live("names the argument that a refusal is about", () =>
    Effect.gen(function* () {
      const detail = "cluster prod has no Deployment web in namespace shop"
      const { env } = yield* service(() => problem(404, "workload_not_found", { field: "name", detail }))
      const { status, stderr } = yield* quarterdeck(["get", "deploy/web", "-n", "shop", "-c", "prod"], { env })
      assert.strictEqual(status, 1)
      assert.include(stderr, detail)
    })
  )
})
