/** The verbs that the docs ask a cluster for are those that actions take, and no more are needed. */
import { assert } from "@effect/vitest"
import { eventually, type FleetCluster } from "@quarterdeck/harness"
import { Effect, Schema } from "effect"
import { readFile } from "node:fs/promises"
import { parseAllDocuments } from "yaml"
import { act, at, make, type MadeKind, objectOf, prepare, refusedAct } from "./actedOn.ts"
import { onBothKinds } from "./onEveryDriver.ts"

const Role = Schema.Struct({
  apiVersion: Schema.String,
  kind: Schema.Literal("ClusterRole"),
  metadata: Schema.Struct({ name: Schema.String }),
  rules: Schema.Array(Schema.Json)
})

const documented = Effect.fnUntraced(function* (file: string) {
  const path = new URL(`../../../../docs/tasks/${file}`, import.meta.url)
  const [role] = parseAllDocuments(yield* Effect.promise(() => readFile(path, "utf8")))
  return yield* Schema.decodeUnknownEffect(Role, { onExcessProperty: "error" })(role?.toJS())
})

const grant = Effect.fnUntraced(function* ({ api }: FleetCluster.FleetCluster, file: string) {
  const role = yield* documented(file)
  const { name } = role.metadata
  yield* api.create(role)
  yield* api.create({
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "reader" }]
  })
})

const NOBODY = "/apis/apps/v1/namespaces/shop/deployments/nobody"
const READING = { method: "GET", path: NOBODY } as const
const CHANGING = {
  method: "PATCH",
  path: NOBODY,
  body: {},
  contentType: "application/merge-patch+json"
} as const

/** Waits until the server's authorizer, which watches roles, lets the reader ask for something. */
const allowed = ({ api, token }: FleetCluster.FleetCluster, request: typeof READING | typeof CHANGING) =>
  Effect.flatMap(token("reader"), (secret) =>
    eventually(`the reader may ${request.method}`, api.as(secret).request(request), ({ status }) => status !== 403)
  )

const ACTIONS: ReadonlyArray<[string, MadeKind, object]> = [
  ["scale", "Deployment", { replicas: 2 }],
  ["scale", "StatefulSet", { replicas: 2 }],
  ["scale", "ReplicaSet", { replicas: 2 }],
  ["restart", "Deployment", {}],
  ["restart", "StatefulSet", {}],
  ["restart", "DaemonSet", {}],
  ["pause", "Deployment", {}],
  ["resume", "Deployment", {}],
  ["pause", "CronJob", {}],
  ["resume", "CronJob", {}]
]

const nameOf = (action: string, kind: MadeKind) => `${action}-${kind.toLowerCase()}`

onBothKinds(
  "the ClusterRole of operators in the docs",
  {
    children: ["prod"],
    prepare: (fleet) =>
      Effect.forEach(fleet.clusters, (cluster) =>
        Effect.gen(function* () {
          yield* prepare(cluster)
          yield* grant(cluster, "least-clusterrole.yaml")
          yield* grant(cluster, "operator-clusterrole.yaml")
          yield* allowed(cluster, READING)
          yield* allowed(cluster, CHANGING)
        })
      ),
    kubeconfig: (fleet) => fleet.kubeconfigFor("reader")
  },
  (it) => {
    it.effect.each(ACTIONS)("is enough to %s a %s", ([action, kind, body]) =>
      Effect.gen(function* () {
        const path = yield* make(kind, nameOf(action, kind))
        for (const dryRun of [true, false]) {
          const { status } = yield* act(`${path}/${action}`, { ...body, dryRun })
          assert.strictEqual(status, dryRun ? "dryRun" : "applied")
        }
      })
    )
  }
)

onBothKinds(
  "the least ClusterRole of the docs, without that of operators",
  {
    children: ["prod"],
    prepare: (fleet) =>
      Effect.forEach(fleet.clusters, (cluster) =>
        Effect.gen(function* () {
          yield* prepare(cluster)
          yield* grant(cluster, "least-clusterrole.yaml")
          yield* allowed(cluster, READING)
        })
      ),
    kubeconfig: (fleet) => fleet.kubeconfigFor("reader")
  },
  (it) => {
    it.effect.each(ACTIONS)("lets nobody %s a %s, and the reply says what the cluster said", ([action, kind, body]) =>
      Effect.gen(function* () {
        const name = nameOf(action, kind)
        const path = yield* make(kind, name)
        const before = at(yield* objectOf(kind, name), "spec")
        const problem = yield* refusedAct(`${path}/${action}`, body)
        assert.deepInclude(problem, { status: 502, code: "cluster_forbids" })
        assert.include(problem.detail, 'User "reader" cannot patch resource')
        assert.deepStrictEqual(at(yield* objectOf(kind, name), "spec"), before)
      })
    )
  }
)
