import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { JsonObject } from "../../src/core/Json.ts"
import { type Answer, started, VIEWER } from "../Client.ts"

const PODS = "/api/v1/namespaces/default/pods"
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"

const refusal = ({ json, status }: Answer) => [status, json["reason"], json["message"]]

describe("authorization", () => {
  it.effect("401 for an unknown token, 403 without a token and for a user without a role", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      assert.deepStrictEqual(refusal(yield* call("GET", PODS, { token: "wrong" })), [
        401,
        "Unauthorized",
        "Unauthorized"
      ])
      assert.deepStrictEqual(refusal(yield* call("GET", "/api/v1/pods", { token: "" })), [
        403,
        "Forbidden",
        'pods is forbidden: User "system:anonymous" cannot list resource "pods" in API group "" at the cluster scope'
      ])
      assert.deepStrictEqual(refusal(yield* call("GET", `${DEPLOYMENTS}/web/scale`, { token: VIEWER })), [
        403,
        "Forbidden",
        'deployments.apps "web" is forbidden: User "viewer" cannot get resource "deployments/scale" in API group "apps" '
          + 'in the namespace "default"'
      ])
    })
  )

  it.effect("a role grants what its rules name, until its binding is deleted", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default"
      yield* call("POST", `${rbac}/roles`, {
        body: {
          metadata: { name: "one" },
          rules: [{ apiGroups: [""], resources: ["pods"], resourceNames: ["web"], verbs: ["get"] }]
        }
      })
      yield* call("POST", `${rbac}/rolebindings`, {
        body: {
          metadata: { name: "one" },
          roleRef: { kind: "Role", name: "one" },
          subjects: [{ kind: "Group", name: "team-a" }]
        }
      })
      assert.strictEqual((yield* call("GET", `${PODS}/web`, { token: VIEWER })).status, 404)
      assert.strictEqual((yield* call("GET", `${PODS}/other`, { token: VIEWER })).status, 403)
      assert.strictEqual((yield* call("GET", PODS, { token: VIEWER })).status, 403)
      yield* call("DELETE", `${rbac}/rolebindings/one`)
      assert.strictEqual((yield* call("GET", `${PODS}/web`, { token: VIEWER })).status, 403)
    })
  )

  it.effect("the role view includes the rules that are aggregated into it", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      yield* call("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
        body: {
          metadata: { name: "v" },
          roleRef: { kind: "ClusterRole", name: "view" },
          subjects: [{ kind: "User", name: "viewer" }]
        }
      })
      assert.strictEqual((yield* call("GET", "/api/v1/pods", { token: VIEWER })).status, 200)
      assert.strictEqual((yield* call("GET", "/api/v1/secrets", { token: VIEWER })).status, 403)
      assert.strictEqual((yield* call("DELETE", `${PODS}/x`, { token: VIEWER })).status, 403)
    })
  )

  it.effect("an access review returns whether a call is allowed, and by which binding", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
      const review = (spec: JsonObject, token?: string) =>
        Effect.map(
          call("POST", path, { body: { spec }, ...(token === undefined ? {} : { token }) }),
          ({ json }) => json["status"]
        )
      assert.deepStrictEqual(yield* review({ resourceAttributes: { verb: "list", resource: "pods" } }), {
        allowed: true
      })
      assert.deepStrictEqual(yield* review({ resourceAttributes: { verb: "list", resource: "pods" } }, VIEWER), {
        allowed: false
      })
      assert.deepStrictEqual(yield* review({ nonResourceAttributes: { verb: "get", path: "/apis/apps/v1" } }, VIEWER), {
        allowed: true,
        reason:
          'RBAC: allowed by ClusterRoleBinding "system:discovery" of ClusterRole "system:discovery" to Group '
          + '"system:authenticated"'
      })
    })
  )
})
