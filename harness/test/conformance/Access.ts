import { assert } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { eventually } from "../../src/machine/Eventually.ts"
import { Fleet } from "../../src/fleet/Fleet.ts"
import { CHILD, freshNamespace, parent, refusal, type Suite, VIEWER } from "./Fixture.ts"

const pods = { apiVersion: "v1", kind: "Pod" }
const rbac = "rbac.authorization.k8s.io/v1"

/** Who may enter, and what they may do. */
export const access = (it: Suite): void => {
  it.effect("401 with an unknown token", () =>
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

  it.effect("403 for a user without permission, with user, verb, resource and scope", () =>
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

  it.effect("a user cannot grant permissions that it lacks, unless a role allows that", () =>
    Effect.gen(function* () {
      const cluster = yield* parent
      const namespace = yield* freshNamespace(cluster)
      const viewer = cluster.api.as(yield* cluster.token(VIEWER))
      const apiGroup = "rbac.authorization.k8s.io"
      const role = (name: string, ...rules: ReadonlyArray<unknown>) => ({
        apiVersion: rbac,
        kind: "Role",
        metadata: { name, namespace },
        rules
      })
      const binding = (name: string, kind: string, to: string) => ({
        apiVersion: rbac,
        kind: "RoleBinding",
        metadata: { name, namespace },
        roleRef: { apiGroup, kind, name: to },
        subjects: [{ apiGroup, kind: "User", name: VIEWER }]
      })
      const listing = { apiGroups: [""], resources: ["pods"], verbs: ["list"] }
      const everything = { apiGroups: ["*"], resources: ["*"], verbs: ["*"] }
      const verbs = ["create", "patch"]
      yield* cluster.api.create(role("maker", listing, { apiGroups: [apiGroup], resources: ["*"], verbs }))
      yield* cluster.api.create(binding("maker", "Role", "maker"))
      yield* eventually("the viewer may make roles", viewer.create(role("reader", listing)), () => true)

      const greedy = yield* refusal(viewer.create(role("all", everything)))
      assert.deepStrictEqual([greedy.code, greedy.reason], [403, "Forbidden"])
      assert.include(greedy.text, "is attempting to grant RBAC permissions not currently held")
      const own = { apiVersion: rbac, kind: "Role", namespace, name: "maker" }
      assert.strictEqual((yield* refusal(viewer.patch(own, { rules: [everything] }))).code, 403)
      assert.strictEqual((yield* refusal(viewer.create(binding("all", "ClusterRole", "cluster-admin")))).code, 403)
      assert.strictEqual((yield* refusal(viewer.create(binding("none", "Role", "none")))).code, 404)

      const trust = { apiGroups: [apiGroup], resources: ["roles", "clusterroles"], verbs: ["bind", "escalate"] }
      yield* cluster.api.create(role("trusted", trust))
      yield* cluster.api.create(binding("trusted", "Role", "trusted"))
      yield* eventually("the viewer may grant all", viewer.create(role("all", everything)), () => true)
      yield* viewer.create(binding("all", "ClusterRole", "cluster-admin"))
    })
  )
}
