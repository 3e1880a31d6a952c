import { NodeServices } from "@effect/platform-node"
import { assert, layer } from "@effect/vitest"
import { Embedded, eventually, Fleet, Kubeconfig } from "@quarterdeck/harness"
import { Effect, FileSystem, Path, Schema } from "effect"
import { coverage, json, quarterdeck, serve, service } from "./program.ts"

const details = { sources: [], configuredKeys: { refused: 0 }, costs: [], backfill: [] }
const checks = {
  keyStore: "ok",
  costStore: "ok",
  audit: "ok",
  configuredKeys: "ok",
  clusters: { registered: 1, synced: 1, waiting: 0 }
}

const cluster = (name: string, facts: Record<string, unknown> = {}) => ({
  name,
  role: "child",
  version: "v1.34.1",
  reachable: true,
  lastSeen: null,
  nodes: 1,
  pods: 1,
  unhealthyWorkloads: 0,
  cpuAllocatableMillis: 1,
  memoryAllocatableBytes: 1,
  cpuRequestMillis: 1,
  memoryRequestBytes: 1,
  labels: {},
  coverage: coverage(name, facts)
})

const refused = (name: string, status: string, code: string, message: string) =>
  cluster(name, { status, error: { code, message: `cluster ${name} ${message}` } })

const decodeFindings = Schema.decodeUnknownSync(
  Schema.Struct({ findings: Schema.Array(Schema.Record(Schema.String, Schema.String)) })
)

const endless = (name: string) =>
  coverage(name, {
    status: "error",
    error: { code: "cluster_too_large", message: `cluster ${name} sends a list of pods that does not end` }
  })

/** Answers as a server of which these things are known. */
const served = (known: {
  readonly readyz: unknown
  readonly clusters?: ReadonlyArray<unknown>
  readonly kinds?: ReadonlyArray<unknown>
  readonly status?: number
  /** The workloads are answered with this. */
  readonly problem?: unknown
}) =>
  service(({ url }) => {
    const { clusters = [cluster("hub")], kinds = [], problem, readyz, status = 200 } = known
    switch (url.pathname) {
      case "/readyz":
        return { status, body: readyz }
      case "/api/v1/clusters":
        return { body: { clusters, partial: false } }
      case "/api/v1/workloads":
        return problem === undefined
          ? { body: { workloads: [], clusters: kinds, partial: false } }
          : { status: 502, headers: { "content-type": "application/problem+json" }, body: problem }
      case "/api/v1/namespaces":
        return { body: { namespaces: [], clusters: [], partial: false } }
      default:
        return {
          body: {
            id: "k",
            name: "k",
            rule: { role: "Viewer" },
            status: "active",
            source: "created",
            createdAt: "2026-01-02T03:04:05Z"
          }
        }
    }
  })

layer(NodeServices.layer)("quarterdeck doctor", (it) => {
  it.effect("says nothing is wrong, and ends with 0", () =>
    Effect.gen(function* () {
      const { env, seen } = yield* served({ readyz: { status: "ready", checks, details } })
      assert.deepStrictEqual(yield* quarterdeck(["doctor"], { env }), {
        stdout: "",
        stderr: "quarterdeck: 1 cluster checked, nothing is wrong\n",
        status: 0
      })
      assert.strictEqual(seen[1]?.url.searchParams.get("consistency"), "live")
      assert.strictEqual(seen[2]?.headers["x-service-cluster"], "*")
      assert.deepStrictEqual(json((yield* quarterdeck(["doctor", "-o", "json"], { env })).stdout), { findings: [] })
    })
  )

  it.effect("names accelerators that are not charged", () =>
    Effect.gen(function* () {
      const unchargedDevices = [
        { cluster: "eu", resources: ["google.com/tpu", "habana.ai/gaudi"], nodes: 2, podsWithClaims: 0 },
        { cluster: "us", resources: [], nodes: 0, podsWithClaims: 1 }
      ]
      const { env } = yield* served({ readyz: { status: "ready", checks, details: { ...details, unchargedDevices } } })
      const { status, stdout } = yield* quarterdeck(["doctor", "-o", "json"], { env })
      assert.strictEqual(status, 1)
      assert.deepStrictEqual(json(stdout), {
        findings: [
          {
            check: "accelerators",
            cluster: "eu",
            finding: "2 nodes have accelerators that are not charged: google.com/tpu, habana.ai/gaudi",
            remedy:
              "add one resource of each domain to cost.accelerators, and a GPU price for these nodes to the price book; then restart"
          },
          {
            check: "accelerators",
            cluster: "us",
            finding: "1 pod gets devices by ResourceClaims, which are not charged",
            remedy:
              "price the machines as a whole by nodePerHour in the price book; devices of ResourceClaims have no cost of their own"
          }
        ]
      })
    })
  )

  it.effect("tells every finding with what mends it, also of a server that is not ready, and ends with 1", () =>
    Effect.gen(function* () {
      const { env } = yield* served({
        status: 503,
        readyz: {
          status: "starting",
          checks: {
            ...checks,
            keyStore: "unavailable",
            costStore: "unavailable",
            audit: "unavailable",
            clusters: { registered: 5, synced: 4, waiting: 1 }
          },
          details: {
            sources: [
              {
                severity: "error",
                code: "nameTaken",
                source: 'config, context "x/y"',
                message: "cluster name x-y is already taken"
              }
            ],
            configuredKeys: { refused: 2, problem: "keys file a.yaml: line 7: must be one document" },
            identityProvider: { problem: "the identity provider cannot be reached: ECONNREFUSED" },
            costs: [
              {
                cluster: "prod",
                usage: "sampled",
                troubles: [{ what: "usage", problem: "metrics.k8s.io: is not served" }]
              },
              {
                cluster: "eu",
                usage: "hourly",
                troubles: [
                  { what: "usage", problem: "http://prom: answered 500" },
                  { what: "backfill", problem: "told below" }
                ]
              },
              { cluster: "hub", usage: "requests", troubles: [] },
              {
                cluster: "late",
                usage: "requests",
                troubles: [{ what: "usage", problem: "http://prom serves prod too" }]
              }
            ],
            backfill: [
              {
                cluster: "eu",
                status: "waiting",
                missingHours: 3,
                olderHours: 9,
                problem: "the source knows no node in 3 of 3 hours"
              },
              { cluster: "us", status: "done", missingHours: 0, olderHours: 9 }
            ]
          }
        },
        clusters: [
          cluster("hub"),
          refused("dead", "unreachable", "cluster_unreachable", "cannot be reached (ECONNREFUSED)"),
          refused("old", "unauthorized", "cluster_unauthorized", "refused the credential"),
          cluster("part", { missingKinds: ["Node"] })
        ],
        kinds: [coverage("hub"), coverage("part", { missingKinds: ["Job"] }), endless("large")]
      })
      const { status, stderr, stdout } = yield* quarterdeck(["doctor"], { env })
      const rows = stdout
        .trimEnd()
        .split("\n")
        .map((line) => [line.slice(0, 13).trim(), line.slice(13, 22).trim(), line.slice(22).split(/ {2,}/)] as const)
      assert.deepStrictEqual(
        rows.map(([check, name, [finding]]) => [check, name, finding]),
        [
          ["CHECK", "CLUSTER", "FINDING"],
          ["service", "", "the key store does not answer"],
          ["service", "", "the cost store does not answer"],
          ["service", "", "the audit cannot be written, so nothing can be changed"],
          ["service", "", "1 of 5 clusters are being read for the first time"],
          ["names", "", 'config, context "x/y": cluster name x-y is already taken'],
          ["keys", "", "keys file a.yaml: line 7: must be one document; the keys that were loaded before stay valid"],
          ["keys", "", "2 entries of the keys files are refused"],
          ["signIn", "", "the identity provider cannot be reached: ECONNREFUSED; people can sign in only with keys"],
          ["usage", "prod", "usage: metrics.k8s.io: is not served"],
          ["usage", "eu", "usage: http://prom: answered 500"],
          ["usage", "late", "usage: http://prom serves prod too"],
          ["backfill", "eu", "3 hours are not backfilled: the source knows no node in 3 of 3 hours"],
          ["clusters", "dead", "unreachable: cannot be reached (ECONNREFUSED)"],
          ["credentials", "old", "unauthorized: refused the credential"],
          ["kinds", "large", "sends a list of pods that does not end"],
          ["kinds", "part", "Node, Job cannot be read"]
        ]
      )
      for (const [, , [, remedy]] of rows) assert.isNotEmpty(remedy)
      assert.strictEqual(stderr, "quarterdeck: 16 findings\n")
      assert.strictEqual(status, 1)
    })
  )

  it.effect("finds a kind that is too large also where no other cluster answers", () =>
    Effect.gen(function* () {
      const problem = { code: "cluster_unreachable", clusters: [endless("hub")] }
      const { env } = yield* served({ readyz: { status: "ready", checks, details }, problem })
      const { status, stdout } = yield* quarterdeck(["doctor", "-o", "json"], { env })
      const [finding] = decodeFindings(json(stdout)).findings
      assert.deepInclude(finding, {
        check: "kinds",
        cluster: "hub",
        finding: "sends a list of pods that does not end"
      })
      assert.strictEqual(status, 1)
    })
  )

  it.effect("says that it needs an Admin without a scope", () =>
    Effect.gen(function* () {
      const { env } = yield* served({ readyz: { status: "ready" } })
      const { status, stderr } = yield* quarterdeck(["doctor"], { env })
      assert.strictEqual(
        stderr,
        "quarterdeck: doctor needs an Admin key without a scope; quarterdeck whoami shows the current key\n"
      )
      assert.strictEqual(status, 1)
    })
  )

  it.effect(
    "finds a dead cluster, names that collide, one cluster under two names and usage that nobody tells in a real fleet, and nothing once they are mended",
    () =>
      Effect.gen(function* () {
        const files = yield* FileSystem.FileSystem
        const { join } = yield* Path.Path
        const fleet = yield* Fleet.make({ driver: Embedded.driver, parent: "hub", children: [] })
        const home = yield* files.makeTempDirectoryScoped({ prefix: "quarterdeck-doctor-" })
        const kubeconfig = join(home, "kubeconfig.yaml")
        const hub = yield* fleet.parent.context("admin")
        const contexts = [
          hub,
          { ...hub, name: "x@y" },
          { ...hub, name: "x/y" },
          { ...hub, name: "dead", server: "https://127.0.0.1:9" }
        ]
        yield* files.writeFileString(kubeconfig, Kubeconfig.print(contexts))
        const { url } = yield* serve([
          ...["--port", "0", "--kubeconfig", kubeconfig, "--parent", "hub", "--data", join(home, "data")],
          ...[
            "--usage-by-cluster",
            "x-y=requests,dead=requests",
            "--cost-sample-seconds",
            "10",
            "--bootstrap-key-file",
            join(home, "first.key")
          ]
        ])
        const env = {
          QUARTERDECK_URL: url,
          QUARTERDECK_API_KEY: (yield* files.readFileString(join(home, "first.key"))).trim()
        }
        const found = Effect.map(quarterdeck(["doctor", "-o", "csv"], { env }), ({ status, stdout }) => ({
          status,
          checks: stdout
            .trimEnd()
            .split("\n")
            .slice(1)
            .map((line) => line.split(",").slice(0, 2).join(" ").trim())
        }))
        const sick = yield* eventually(
          "all of it is known",
          found,
          ({ checks }) => checks.includes("usage hub") && !checks.includes("service"),
          { within: "60 seconds" }
        )
        assert.deepStrictEqual(sick, { status: 1, checks: ["names", "usage hub", "clusters dead", "names hub"] })

        yield* files.writeFileString(kubeconfig, Kubeconfig.print([hub]))
        const mended = yield* eventually("the kubeconfig is mended", found, ({ checks }) => checks.length === 1, {
          within: "30 seconds"
        })
        assert.deepStrictEqual(mended.checks, ["usage hub"])
      }),
    { timeout: 120_000 }
  )
})
