import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { createPublicKey, verify } from "node:crypto"
import { arrayAt, at, isObject, type JsonObject, objectAt, parse, textAt } from "../../src/core/Json.ts"
import { ADMIN, type Client, pod, started, VIEWER } from "../Client.ts"

const NAMESPACE = "/api/v1/namespaces/default"
const ACCOUNTS = `${NAMESPACE}/serviceaccounts`
const REVIEWS = "/apis/authentication.k8s.io/v1/tokenreviews"
const ROBOT = "system:serviceaccount:default:robot"

const withRobot = Effect.gen(function* () {
  const cluster = yield* started()
  yield* cluster.call("POST", ACCOUNTS, { body: { metadata: { name: "robot" } } })
  return cluster
})

const token = ({ call }: Pick<Client, "call">, spec: JsonObject = {}) =>
  Effect.map(call("POST", `${ACCOUNTS}/robot/token`, { body: { spec } }), ({ json }) => textAt(json, "status", "token"))

const claimsOf = (text: string): JsonObject => {
  const claims = parse(Buffer.from(text.split(".")[1] ?? "", "base64url").toString())
  return isObject(claims) ? claims : {}
}

describe("tokens of service accounts", () => {
  it.effect("name their account and expiry, signed with a published key", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-03-01T00:00:00Z"))
      const { call, server } = yield* withRobot
      const made = yield* call("POST", `${ACCOUNTS}/robot/token`, { body: { spec: { expirationSeconds: 600 } } })
      assert.deepStrictEqual(
        [made.status, textAt(made.json, "status", "expirationTimestamp"), textAt(made.json, "kind")],
        [201, "2026-03-01T00:10:00Z", "TokenRequest"]
      )
      const text = textAt(made.json, "status", "token")
      const issuer = `${server.server}/`
      const claims = claimsOf(text)
      assert.deepInclude(claims, {
        iss: issuer,
        aud: [issuer],
        sub: ROBOT,
        exp: Date.parse("2026-03-01T00:10:00Z") / 1_000
      })
      assert.strictEqual(textAt(claims, "kubernetes.io", "serviceaccount", "name"), "robot")
      assert.strictEqual(textAt(claims, "kubernetes.io", "namespace"), "default")

      const about = (yield* call("GET", "/.well-known/openid-configuration")).json
      assert.deepInclude(about, { issuer, jwks_uri: `${issuer}openid/v1/jwks` })
      const keys = yield* call("GET", "/openid/v1/jwks")
      const [key] = arrayAt(parse(keys.text), "keys")
      const jwk = { kty: "EC", crv: "P-256", x: textAt(key, "x"), y: textAt(key, "y") }
      const [head, body, signature = ""] = text.split(".")
      const publicKey = { key: createPublicKey({ key: jwk, format: "jwk" }), dsaEncoding: "ieee-p1363" } as const
      assert.isTrue(verify("sha256", Buffer.from(`${head}.${body}`), publicKey, Buffer.from(signature, "base64url")))
    })
  )

  it.effect("authenticate as their account, which has the permissions of its bindings and groups", () =>
    Effect.gen(function* () {
      const { call } = yield* withRobot
      const text = yield* token({ call })
      const refused = yield* call("GET", `${NAMESPACE}/pods`, { token: text })
      assert.strictEqual(refused.status, 403)
      assert.include(textAt(refused.json, "message"), `User "${ROBOT}" cannot list resource "pods"`)
      assert.strictEqual((yield* call("GET", "/openid/v1/jwks", { token: text })).status, 200)
      assert.strictEqual((yield* call("GET", "/openid/v1/jwks", { token: VIEWER })).status, 403)
      const bindings = "/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings"
      const subjects = [{ kind: "ServiceAccount", name: "robot", namespace: "default" }]
      const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" }
      yield* call("POST", bindings, { body: { metadata: { name: "robot" }, roleRef, subjects } })
      assert.strictEqual((yield* call("GET", `${NAMESPACE}/pods`, { token: text })).status, 200)
      const self = yield* call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", { token: text, body: {} })
      const groups = ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"]
      assert.deepInclude(objectAt(self.json, "status", "userInfo"), { username: ROBOT, groups })
    })
  )

  it.effect("are refused after they expire, after their account or pod is deleted, and for other audiences", () =>
    Effect.gen(function* () {
      const { call } = yield* withRobot
      const status = (text: string) => Effect.map(call("GET", "/api", { token: text }), (answer) => answer.status)
      const short = yield* token({ call }, { expirationSeconds: 600 })
      const long = yield* token({ call }, { expirationSeconds: 7_200 })
      assert.strictEqual(yield* status(short), 200)
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual([yield* status(short), yield* status(long)], [401, 200])

      yield* call("POST", `${NAMESPACE}/pods`, { body: pod("worker") })
      const bound = yield* token({ call }, { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "worker" } })
      assert.strictEqual(textAt(claimsOf(bound), "kubernetes.io", "pod", "name"), "worker")
      assert.strictEqual(yield* status(bound), 200)
      yield* call("DELETE", `${NAMESPACE}/pods/worker`)
      assert.strictEqual(yield* status(bound), 401)

      assert.strictEqual(yield* status(yield* token({ call }, { audiences: ["vault"] })), 401)
      yield* call("DELETE", `${ACCOUNTS}/robot`)
      assert.strictEqual(yield* status(long), 401)
      yield* call("POST", ACCOUNTS, { body: { metadata: { name: "robot" } } })
      assert.strictEqual(yield* status(long), 401)
    })
  )

  it.effect("of another cluster or with a changed claim are refused", () =>
    Effect.gen(function* () {
      const here = yield* withRobot
      const there = yield* withRobot
      const text = yield* token(here)
      assert.strictEqual((yield* there.call("GET", "/api", { token: text })).status, 401)
      const [head, , signature] = text.split(".")
      const claims = { ...claimsOf(text), sub: "system:serviceaccount:kube-system:admin" }
      const forged = `${head}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.${signature}`
      assert.strictEqual((yield* here.call("GET", "/api", { token: forged })).status, 401)
    })
  )

  it.effect("are reviewed: user, audiences, or invalid", () =>
    Effect.gen(function* () {
      const { call } = yield* withRobot
      const review = (spec: JsonObject) =>
        Effect.map(call("POST", REVIEWS, { body: { spec } }), ({ json }) => objectAt(json, "status"))
      const own = yield* review({ token: yield* token({ call }) })
      assert.strictEqual(own["authenticated"], true)
      assert.strictEqual(textAt(own, "user", "username"), ROBOT)
      const vault = yield* token({ call }, { audiences: ["vault", "bank"] })
      assert.deepStrictEqual((yield* review({ token: vault, audiences: ["vault", "x"] }))["audiences"], ["vault"])
      assert.isUndefined((yield* review({ token: vault }))["authenticated"])
      assert.strictEqual(textAt(yield* review({ token: ADMIN }), "user", "username"), "admin")
      assert.deepStrictEqual(yield* review({ token: "bad" }), { user: {}, error: "invalid bearer token" })
      assert.strictEqual((yield* call("POST", REVIEWS, { body: { spec: {} } })).status, 400)
      assert.strictEqual((yield* call("POST", REVIEWS, { token: VIEWER, body: { spec: { token: "x" } } })).status, 403)
    })
  )

  it.effect("are not issued for missing accounts, for too short a time, or without permission", () =>
    Effect.gen(function* () {
      const { call } = yield* withRobot
      const asked = (name: string, spec: JsonObject, by = ADMIN) =>
        Effect.map(call("POST", `${ACCOUNTS}/${name}/token`, { body: { spec }, token: by }), ({ json, status }) => [
          status,
          textAt(arrayAt(json, "details", "causes")[0], "field")
        ])
      assert.deepStrictEqual(yield* asked("nobody", {}), [404, ""])
      assert.deepStrictEqual(yield* asked("robot", { expirationSeconds: 10 }), [422, "spec.expirationSeconds"])
      assert.deepStrictEqual(
        yield* asked("robot", { boundObjectRef: { kind: "ConfigMap", apiVersion: "v1", name: "x" } }),
        [400, ""]
      )
      assert.strictEqual((yield* asked("robot", {}, VIEWER))[0], 403)
      assert.isUndefined(at((yield* call("GET", `${ACCOUNTS}/robot`)).json, "secrets"))
    })
  )
})
