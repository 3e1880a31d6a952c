import { Heartbeat } from "@quarterdeck/cluster-fanout"
import { assert } from "@effect/vitest"
import { eventually, type FleetCluster, Seed, Usage } from "@quarterdeck/harness"
import { Context, Effect, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { parseAllDocuments } from "yaml"
import { Deployment } from "./Deployment.ts"
import { onBothKinds } from "./onEveryDriver.ts"

const Role = Schema.Struct({
  apiVersion: Schema.String,
  kind: Schema.Literal("ClusterRole"),
  metadata: Schema.Struct({ name: Schema.String }),
  rules: Schema.Array(
    Schema.Struct({
      apiGroups: Schema.optionalKey(Schema.Array(Schema.String)),
      resources: Schema.optionalKey(Schema.Array(Schema.String)),
      nonResourceURLs: Schema.optionalKey(Schema.Array(Schema.String)),
      verbs: Schema.Array(Schema.String)
    })
  )
})

/** The ClusterRole of the docs, as a reader applies it. */
const documented = Effect.gen(function* () {
  const path = new URL("../../../../docs/tasks/least-clusterrole.yaml", import.meta.url)
  const text = yield* Effect.promise(() => readFile(path, "utf8"))
  const [role] = parseAllDocuments(text)
  return yield* Schema.decodeUnknownEffect(Role, { onExcessProperty: "error" })(role?.toJS())
})

const binding = (role: string) => ({
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRoleBinding",
  metadata: { name: "quarterdeck-reader" },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
  subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "reader" }]
})

/** Gives the reader a role, and waits until the server's authorizer, which watches roles, has heard of it. */
const grant = Effect.fnUntraced(function* ({ api, token }: FleetCluster.FleetCluster, role: typeof Role.Type) {
  yield* api.create(role)
  yield* api.create(binding(role.metadata.name))
  const reader = api.as(yield* token("reader"))
  yield* eventually(
    "the reader may read",
    reader.request({ method: "GET", path: "/api/v1/pods" }),
    ({ status }) => status === 200
  )
})

onBothKinds(
  "the least ClusterRole of the docs",
  {
    children: [],
    // A quiet cluster is seen up to its last heartbeat.
    limits: Context.make(Heartbeat.HeartbeatLimits, { ...Heartbeat.HeartbeatLimits.defaultValue(), intervalMs: 1_000 }),
    options: { cost: { sampleSeconds: 10 } },
    prepare: (fleet) =>
      Effect.gen(function* () {
        yield* Seed.fill(fleet)
        yield* grant(fleet.parent, yield* documented)
        yield* Usage.serve(fleet.parent)
      }),
    kubeconfig: (fleet) => fleet.kubeconfigFor("reader")
  },
  (it) => {
    it.effect.each([
      "/api/v1/persistentvolumeclaims",
      "/api/v1/persistentvolumes",
      "/api/v1/services",
      "/apis/metrics.k8s.io/v1beta1/pods"
    ])("lets the sampler of costs list %s", (path) =>
      Effect.gen(function* () {
        const { parent } = (yield* Deployment).fleet
        const api = parent.api.as(yield* parent.token("reader"))
        assert.strictEqual((yield* api.request({ method: "GET", path })).status, 200)
      })
    )

    it.effect(
      "is enough for costs: the hour that is going on is charged, with its load balancers and what was used",
      () =>
        Effect.gen(function* () {
          const deployment = yield* Deployment
          const { aggregatedWorkloads } = yield* eventually(
            "usage and load balancers are in the report",
            deployment.costs("?range=1h"),
            ({ totals }) => totals.cpuCost > 0 && (totals.cpuEfficiency ?? 0) > 0 && totals.loadBalancerCost > 0,
            { within: "60 seconds" }
          )
          assert.isTrue(aggregatedWorkloads.every(({ cluster }) => cluster === "hub"))
        }),
      90_000
    )

    it.effect("is enough for everything that the service reads", () =>
      Effect.gen(function* () {
        const deployment = yield* Deployment
        for (const consistency of ["cache", "live"]) {
          const list = yield* deployment.workloads(`?limit=5000&timeoutMs=20000&consistency=${consistency}`)
          assert.isFalse(list.partial, JSON.stringify(list.clusters))
          assert.isAbove(list.workloads.length, 10)
          const events = yield* deployment.events(`?timeoutMs=20000&consistency=${consistency}`)
          assert.isFalse(events.partial, JSON.stringify(events.clusters))
        }
        const {
          clusters: [row]
        } = yield* deployment.clusters()
        assert.isTrue(row?.reachable)
        assert.isAbove(row?.nodes ?? 0, 0)
      })
    )
  }
)

onBothKinds(
  "a role that lacks a kind",
  {
    children: [],
    prepare: (fleet) =>
      Effect.gen(function* () {
        yield* Seed.fill(fleet)
        const role = yield* documented
        const withoutJobs = role.rules.map((rule) => ({
          ...rule,
          ...(rule.resources === undefined
            ? {}
            : { resources: rule.resources.filter((resource) => resource !== "jobs") })
        }))
        yield* grant(fleet.parent, { ...role, rules: withoutJobs })
      }),
    kubeconfig: (fleet) => fleet.kubeconfigFor("reader")
  },
  (it) => {
    it.effect("gives what it can, and names what is missing", () =>
      Effect.gen(function* () {
        const list = yield* (yield* Deployment).workloads("?limit=5000")
        assert.isTrue(list.partial)
        assert.deepStrictEqual(list.clusters[0]?.missingKinds, ["Job"])
        assert.strictEqual(list.clusters[0]?.status, "ok")
        assert.isTrue(list.workloads.some(({ kind }) => kind === "Deployment"))
        assert.isFalse(list.workloads.some(({ kind }) => kind === "Job"))
      })
    )
  }
)
