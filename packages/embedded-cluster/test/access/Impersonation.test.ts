import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { arrayAt, textAt } from "../../src/core/Json.ts"
import { started, VIEWER } from "../Client.ts"

const WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
const RULES = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"
const RBAC = "/apis/rbac.authorization.k8s.io/v1"
const AS_BOB = { "impersonate-user": "bob" }

describe("an impersonated request", () => {
  it.live("has the name, groups and permissions of the impersonated user", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const headers = { ...AS_BOB, "impersonate-group": "devs" }
      const { json } = yield* call("POST", WHO, { body: {}, headers })
      assert.strictEqual(textAt(json, "status", "userInfo", "username"), "bob")
      assert.deepStrictEqual(arrayAt(json, "status", "userInfo", "groups"), ["devs", "system:authenticated"])
      assert.strictEqual((yield* call("GET", "/api/v1/pods", { headers })).status, 403)
    })
  )

  it.live("needs permission for the user and for each group", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const rules = [{ verbs: ["impersonate"], apiGroups: [""], resources: ["users"], resourceNames: ["bob"] }]
      yield* call("POST", `${RBAC}/clusterroles`, { body: { metadata: { name: "as-bob" }, rules } })
      const ask = (headers: Record<string, string>) =>
        Effect.map(call("POST", WHO, { body: {}, headers, token: VIEWER }), ({ status }) => status)
      assert.strictEqual(yield* ask(AS_BOB), 403)
      yield* call("POST", `${RBAC}/clusterrolebindings`, {
        body: {
          metadata: { name: "as-bob" },
          roleRef: { kind: "ClusterRole", name: "as-bob" },
          subjects: [{ kind: "User", name: "viewer" }]
        }
      })
      assert.strictEqual(yield* ask(AS_BOB), 201)
      assert.strictEqual(yield* ask({ ...AS_BOB, "impersonate-group": "system:masters" }), 403)
      assert.strictEqual(yield* ask({ "impersonate-user": "eve" }), 403)
      assert.strictEqual(yield* ask({ "impersonate-group": "devs" }), 400)
    })
  )

  it.live("gets the rules of the impersonated user", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      const rulesOf = (headers: Record<string, string>) =>
        Effect.map(call("POST", RULES, { body: { spec: { namespace: "default" } }, headers }), ({ json }) =>
          arrayAt(json, "status", "resourceRules").map((rule) => JSON.stringify(arrayAt(rule, "verbs")))
        )
      assert.include(yield* rulesOf({}), JSON.stringify(["*"]))
      assert.notInclude(yield* rulesOf(AS_BOB), JSON.stringify(["*"]))
    })
  )
})
