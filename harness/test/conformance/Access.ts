import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { eventually } from "../../src/Eventually.ts"
import { Fleet } from "../../src/Fleet.ts"
import { CHILD, freshNamespace, parent, refusal, type Suite, VIEWER } from "./Fixture.ts"

const pods = { apiVersion: "v1", kind: "Pod" }
const rbac = "rbac.authorization.k8s.io/v1"

/** Who may enter, and what they may do. */
export const access = (it: Suite): void => {
  it.effect("401 with a token that nobody has", () =>
    Effect.gen(function* () {
      const { api } = yield* parent
      const refused = yield* refusal(api.as(Redacted.make("nobody")).list(pods))
      assert.deepStrictEqual([refused.code, refused.reason], [401, "Unauthorized"])
    })
  )

  it.effect("401 with the token of another cluster", () =>
    Effect.gen(function* () {
      const child = yield* (yield* Fleet).cluster(CHILD)
      const { api } = yield* parent
      assert.strictEqual((yield* refusal(api.as(yield* child.token("admin")).list(pods))).code, 401)
    })
  )

  it.effect("403 for a user without rights, which names user, verb, resource and scope", () =>
    Effect.gen(function* () {
      const cluster = yield* parent
      const namespace = yield* freshNamespace(cluster)
      const viewer = cluster.api.as(yield* cluster.token(VIEWER))
      const everywhere = yield* refusal(viewer.list({ apiVersion: "v1", kind: "Secret" }))
      assert.deepStrictEqual([everywhere.code, everywhere.reason], [403, "Forbidden"])
      assert.strictEqual(
        everywhere.text,
        'secrets is forbidden: User "viewer" cannot list resource "secrets" in API group "" at the cluster scope'
      )
      const inside = yield* refusal(viewer.get({ apiVersion: "apps/v1", kind: "Deployment", namespace, name: "web" }))
      assert.strictEqual(
        inside.text,
        'deployments.apps "web" is forbidden: User "viewer" cannot get resource "deployments" '
          + `in API group "apps" in the namespace "${namespace}"`
      )
    })
  )

  it.effect("a role binding lets a user do what the role says, there and nowhere else", () =>
    Effect.gen(function* () {
      const cluster = yield* parent
      const namespace = yield* freshNamespace(cluster)
      const other = yield* freshNamespace(cluster)
      const viewer = cluster.api.as(yield* cluster.token(VIEWER))
      yield* cluster.api.create({
        apiVersion: rbac,
        kind: "Role",
        metadata: { name: "reader", namespace },
        rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["list"] }]
      })
      yield* cluster.api.create({
        apiVersion: rbac,
        kind: "RoleBinding",
        metadata: { name: "viewer-reads", namespace },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "reader" },
        subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: VIEWER }]
      })
      const list = viewer.list({ ...pods, namespace })
      const { items } = yield* eventually("the binding counts", list, () => true)
      assert.deepStrictEqual(items, [])
      assert.strictEqual((yield* refusal(viewer.list({ ...pods, namespace: other }))).code, 403)
    })
  )
}
