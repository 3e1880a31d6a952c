import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { aged } from "../ages.ts"
import { coverage, json, problem, quarterdeck, service } from "../program.ts"

const pod = (name: string, facts: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: `uid-${name}`,
  cluster: "prod",
  namespace: "web",
  name,
  labels: { app: "shop" },
  owner: { kind: "Deployment", name: "shop" },
  phase: "Running",
  status: "Running",
  readyContainers: 2,
  containers: 2,
  restarts: 0,
  node: "node-1",
  images: ["shop:1", "proxy:2"],
  cpuRequestMillis: 500,
  memoryRequestBytes: 1024 ** 3,
  cpuLimitMillis: 0,
  memoryLimitBytes: 0,
  startedAt: "2026-01-02T03:04:06Z",
  createdAt: "2026-01-02T03:04:05Z",
  ...facts
})

const MINUTE = 60_000
const crashing = () =>
  pod("shop-2", {
    owner: null,
    status: "CrashLoopBackOff",
    readyContainers: 1,
    restarts: 7,
    lastRestartAt: aged(5 * MINUTE).createdAt,
    node: null,
    labels: {},
    ...aged(3 * 60 * MINUTE)
  })

const bodyOf = (...pods: ReadonlyArray<Record<string, unknown>>) => ({
  pods,
  clusters: [coverage("prod")],
  partial: false
})

describe("quarterdeck pods", () => {
  it.live("prints kubectl's columns, and where and whose they are as wide", () =>
    Effect.gen(function* () {
      const { env } = yield* service(() => ({ body: bodyOf(pod("shop-1", aged(12 * 24 * 60 * MINUTE)), crashing()) }))
      const { status, stderr, stdout } = yield* quarterdeck(["pods"], { env })
      assert.strictEqual(
        stdout,
        "CLUSTER  NAMESPACE  NAME    READY  STATUS            RESTARTS      AGE\n"
          + "prod     web        shop-1  2/2    Running           0             12d\n"
          + "prod     web        shop-2  1/2    CrashLoopBackOff  7 (5m1s ago)  3h\n"
      )
      assert.deepStrictEqual([status, stderr], [0, ""])
      const wide = (yield* quarterdeck(["pods", "-o", "wide"], { env })).stdout.split("\n")
      assert.match(wide[0] ?? "", /AGE  NODE    WORKLOAD         CPU  MEMORY  IMAGES          LABELS$/)
      assert.match(wide[1] ?? "", /12d  node-1  Deployment\/shop  0.5  1Gi     shop:1,proxy:2  app=shop$/)
      assert.match(wide[2] ?? "", /3h   <none>  <none> {11}0.5  1Gi     shop:1,proxy:2  <none>$/)
      assert.strictEqual(
        (yield* quarterdeck(["pods", "-o", "name"], { env })).stdout,
        "prod/web/Pod/shop-1\nprod/web/Pod/shop-2\n"
      )
    })
  )

  it.live("prints every field as CSV, and the server's reply as JSON", () =>
    Effect.gen(function* () {
      const body = bodyOf(pod("shop-1", { restarts: 1, lastRestartAt: "2026-01-03T00:00:00Z" }))
      const { env } = yield* service(() => ({ body }))
      assert.strictEqual(
        (yield* quarterdeck(["pods", "-o", "csv"], { env })).stdout,
        "cluster,namespace,name,workload,phase,status,readyContainers,containers,restarts,lastRestartAt,node,cpuRequestMillis,memoryRequestBytes,cpuLimitMillis,memoryLimitBytes,images,labels,startedAt,createdAt,id\n"
          + "prod,web,shop-1,Deployment/shop,Running,Running,2,2,1,2026-01-03T00:00:00Z,node-1,500,1073741824,0,0,shop:1 proxy:2,app=shop,2026-01-02T03:04:06Z,2026-01-02T03:04:05Z,uid-shop-1\n"
      )
      assert.deepStrictEqual(json((yield* quarterdeck(["pods", "-o", "json"], { env })).stdout), body)
    })
  )

  it.live("sends every flag, in kubectl's words", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* service(() => ({ body: bodyOf() }))
      const args = [
        "-n",
        "web,api",
        "-l",
        "app=shop",
        "--workload",
        "deploy/shop",
        "--node",
        "n1,n2",
        "--status",
        "Error"
      ]
      const more = ["--sort", "restarts", "--order", "desc", "--limit", "20", "--consistency", "live", "--name", "sh"]
      yield* quarterdeck(["pods", "-c", "prod|eu", ...args, ...more], { env })
      assert.sameDeepMembers(
        [...(seen[0]?.url.searchParams ?? [])],
        [
          ["consistency", "live"],
          ["labelSelector", "app=shop"],
          ["limit", "20"],
          ["name", "sh"],
          ["namespace", "api"],
          ["namespace", "web"],
          ["node", "n1"],
          ["node", "n2"],
          ["order", "desc"],
          ["sort", "restarts"],
          ["status", "Error"],
          ["workload", "Deployment/shop"]
        ]
      )
      assert.strictEqual(seen[0]?.url.pathname, "/api/v1/pods")
      assert.strictEqual(seen[0]?.headers["x-service-cluster"], "prod|eu")
    })
  )

  it.live.each<[string, string]>([
    ["workload", "--workload"],
    ["node[0]", "--node"],
    ["status[1]", "--status"],
    ["namespace[0]", "--namespace"]
  ])("ends with 2 and the flag at fault where the server refuses the %s", ([field, flag]) =>
    Effect.gen(function* () {
      const { env } = yield* service(() => problem(400, "invalid_parameter", { field, detail: "is none" }))
      const { status, stderr } = yield* quarterdeck(["pods", flag, "x"], { env })
      assert.match(stderr, new RegExp(`^quarterdeck: ${flag}: is none `))
      assert.strictEqual(status, 2)
    })
  )
})
