import { assert } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { eventually } from "../../src/machine/Eventually.ts"
import type { FleetCluster } from "../../src/fleet/FleetCluster.ts"
import { freshNamespace, parent, refusal, refusedCode, type Suite } from "./Fixture.ts"

const decodeToken = Schema.decodeEffect(
  Schema.fromJsonString(Schema.Struct({ status: Schema.Struct({ token: Schema.NonEmptyString }) }))
)

/** Makes a service account and asks the server for a token of it. */
const account = Effect.fnUntraced(function* ({ api }: FleetCluster, namespace: string) {
  yield* api.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "robot", namespace } })
  const { text } = yield* api.request({
    method: "POST",
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/robot/token`,
    body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { expirationSeconds: 600 } }
  })
  const { status } = yield* decodeToken(text)
  return api.as(Redacted.make(status.token))
})

/** Programs inside a cluster, as their tokens make them known. */
export const serviceAccounts = (it: Suite): void => {
  it.effect("the token of a service account authenticates as it, without permissions until a binding grants some", () =>
    Effect.gen(function* () {
      const cluster = yield* parent
      const namespace = yield* freshNamespace(cluster)
      const robot = yield* account(cluster, namespace)
      const pods = robot.list({ apiVersion: "v1", kind: "Pod", namespace })
      assert.include(
        (yield* refusal(pods)).text,
        `User "system:serviceaccount:${namespace}:robot" cannot list resource "pods"`
      )
      const rbac = "rbac.authorization.k8s.io"
      yield* cluster.api.create({
        apiVersion: `${rbac}/v1`,
        kind: "Role",
        metadata: { name: "reader", namespace },
        rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }]
      })
      yield* cluster.api.create({
        apiVersion: `${rbac}/v1`,
        kind: "RoleBinding",
        metadata: { name: "robot-reads", namespace },
        roleRef: { apiGroup: rbac, kind: "Role", name: "reader" },
        subjects: [{ kind: "ServiceAccount", name: "robot", namespace }]
      })
      const { items } = yield* eventually("the binding counts", pods, () => true)
      assert.deepStrictEqual(items, [])
    })
  )

  it.effect(
    "401 for the token of a deleted service account",
    () =>
      Effect.gen(function* () {
        const cluster = yield* parent
        const namespace = yield* freshNamespace(cluster)
        const robot = yield* account(cluster, namespace)
        yield* cluster.api.delete({ apiVersion: "v1", kind: "ServiceAccount", namespace, name: "robot" })
        yield* eventually(
          "the token is refused",
          refusedCode(robot.list({ apiVersion: "v1", kind: "Pod", namespace })),
          (code) => code === 401,
          { within: "30 seconds" }
        )
      }),
    120_000
  )
}
