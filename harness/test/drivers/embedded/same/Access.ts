import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../../../../src/machine/Eventually.ts"
import { arrayAt, type Json, type JsonObject, numberAt, objectAt } from "@quarterdeck/embedded-cluster/Json"
import { namesOf, patching, pod, VIEWER } from "../Client.ts"
import { namespace, Pair, same, type Suite } from "./Pair.ts"

const RBAC = "/apis/rbac.authorization.k8s.io/v1"
const REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews"

let made = 0

/** Who is who, who may what, and who has to wait. */
export const access = (it: Suite): void => {
  it.effect(
    "on requests on behalf of others",
    () =>
      Effect.gen(function* () {
        const { core, name } = yield* namespace
        const WHO = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
        const asked: ReadonlyArray<Readonly<Record<string, string | ReadonlyArray<string>>>> = [
          { "impersonate-user": "bob" },
          { "impersonate-user": "bob", "impersonate-group": "devs" },
          { "impersonate-user": "bob", "impersonate-uid": "1", "impersonate-extra-team%2fname": "a" },
          { "impersonate-user": `system:serviceaccount:${name}:robot` },
          { "impersonate-user": `system:serviceaccount:${name}:robot`, "impersonate-group": "devs" },
          { "impersonate-user": "system:anonymous" },
          { "impersonate-group": "devs" },
          { "impersonate-uid": "7" }
        ]
        for (const token of ["admin-token", VIEWER]) {
          for (const headers of asked) {
            yield* same("GET", `${core}/pods`, { headers, token })
            yield* same("POST", WHO, { headers, token, body: {} })
            yield* same("GET", "/metrics", { headers, token })
          }
        }
        // The broad right, and the narrow pair of rights.
        const role = `impersonators-${++made}`
        const subjects = [{ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name: "team-a" }]
        const bound = (rules: ReadonlyArray<JsonObject>, roleName: string) =>
          Effect.gen(function* () {
            yield* same("POST", `${RBAC}/clusterroles`, { body: { metadata: { name: roleName }, rules } })
            yield* same("POST", `${RBAC}/clusterrolebindings`, {
              body: { metadata: { name: roleName }, roleRef: { kind: "ClusterRole", name: roleName }, subjects }
            })
          })
        const rule = (
          verb: string,
          group: string,
          resource: string,
          names: ReadonlyArray<string> = []
        ): JsonObject => ({
          verbs: [verb],
          apiGroups: [group],
          resources: [resource],
          ...(names.length === 0 ? {} : { resourceNames: names })
        })
        yield* bound([rule("impersonate", "", "users", ["bob"]), rule("impersonate", "", "groups", ["devs"])], role)
        // From the first success on, the real server tries first what has worked, and its refusals speak of that.
        const { embedded, real } = yield* Pair
        yield* eventually(
          "the real server knows of the roles",
          real.call("POST", WHO, { headers: { "impersonate-user": "bob" }, token: VIEWER, body: {} }),
          ({ status }) => status === 201
        )
        for (const headers of asked) {
          const [ours, theirs] = yield* Effect.forEach([embedded, real], (client) =>
            client.call("POST", WHO, { headers, token: VIEWER, body: {} })
          )
          assert.strictEqual(ours?.status, theirs?.status, JSON.stringify(headers))
        }
        const AUTH = "authentication.k8s.io"
        yield* bound(
          [rule("impersonate:user-info", AUTH, "users", ["bob"]), rule("impersonate-on:user-info:list", "", "pods")],
          `${role}-narrow`
        )
        yield* same("GET", `${core}/pods`, { headers: { "impersonate-user": "bob" }, token: VIEWER })
        for (const one of [role, `${role}-narrow`]) yield* same("DELETE", `${RBAC}/clusterrolebindings/${one}`)
        // Whoever asks next for the viewer's rights would be told of these too.
        yield* eventually(
          "the real server has forgotten the roles",
          real.call("POST", REVIEWS, { body: { spec: { namespace: name } }, token: VIEWER }),
          ({ text }) => !text.includes("impersonate")
        )
      }),
    120_000
  )

  it.effect(
    "on the rules that apply to a user",
    () =>
      Effect.gen(function* () {
        const { name } = yield* namespace
        yield* same("POST", REVIEWS, { body: { spec: {} } })
        const { embedded, real } = yield* Pair
        const rulesOf = (review: JsonObject): Json => {
          const sorted = (part: string) =>
            arrayAt(review, "status", part)
              .map((rule) => JSON.stringify(rule, SORTED))
              .toSorted()
          return [sorted("resourceRules"), sorted("nonResourceRules")]
        }
        for (const token of ["admin-token", VIEWER, ""]) {
          const [ours, theirs] = yield* Effect.forEach([embedded, real], (client) =>
            client.call("POST", REVIEWS, { body: { spec: { namespace: name } }, token })
          )
          assert.strictEqual(ours?.status, theirs?.status)
          assert.deepStrictEqual(rulesOf(ours?.json ?? {}), rulesOf(theirs?.json ?? {}))
        }
      }),
    120_000
  )

  it.effect(
    "on evictions and the budgets that allow them",
    () =>
      Effect.gen(function* () {
        const { core, name } = yield* namespace
        const budgets = `/apis/policy/v1/namespaces/${name}/poddisruptionbudgets`
        const labelled = (one: string): JsonObject => ({ ...pod(one), metadata: { name: one, labels: { app: "a" } } })
        const evict = (one: string, body: JsonObject = {}) =>
          same("POST", `${core}/pods/${one}/eviction`, { body: { metadata: { name: one }, ...body } })
        const { embedded, real } = yield* Pair
        // The real server shows null for a time that nobody has given; that is not what this is about.
        const report = (one: string, status: JsonObject) =>
          Effect.forEach([embedded, real], (client) =>
            client.call("PATCH", `${core}/pods/${one}/status`, patching({ status }))
          )
        const running = (one: string, ready: string) =>
          report(one, { phase: "Running", conditions: [{ type: "Ready", status: ready }] })
        const names = ["a", "b", "c", "d"]
        for (const one of names) {
          yield* same("POST", `${core}/pods`, { body: labelled(one) })
          yield* running(one, "True")
        }
        yield* evict("none")
        yield* same("POST", `${core}/pods/a/eviction`, { body: { metadata: { name: "b" } } })
        yield* same("POST", budgets, {
          body: { metadata: { name: "guard" }, spec: { minAvailable: 3, selector: { matchLabels: { app: "a" } } } }
        })
        yield* evict("a")
        const status = (values: JsonObject) =>
          same(
            "PATCH",
            `${budgets}/guard/status`,
            patching({ status: { observedGeneration: 1, disruptedPods: null, ...values } })
          )
        yield* status({ disruptionsAllowed: 0, currentHealthy: 3, desiredHealthy: 3, expectedPods: 4 })
        yield* evict("a")
        yield* status({ disruptionsAllowed: 1, currentHealthy: 4, desiredHealthy: 3, expectedPods: 4 })
        yield* evict("a", { deleteOptions: { dryRun: ["All"] } })
        yield* evict("a")
        const after = yield* Effect.forEach([embedded, real], (client) =>
          Effect.map(client.call("GET", `${budgets}/guard`), ({ json }) => [
            numberAt(json, "status", "disruptionsAllowed"),
            Object.keys(objectAt(json, "status", "disruptedPods"))
          ])
        )
        assert.deepStrictEqual(after[0], after[1])
        yield* evict("b")
        yield* running("b", "False")
        yield* evict("b")
        yield* status({ disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 3, expectedPods: 4 })
        yield* running("c", "False")
        yield* evict("c")
        yield* same("PATCH", `${budgets}/guard`, patching({ spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } }))
        yield* evict("c")
        yield* same("POST", budgets, {
          body: { metadata: { name: "second" }, spec: { minAvailable: 1, selector: { matchLabels: { app: "a" } } } }
        })
        yield* evict("d")
        yield* report("d", { phase: "Succeeded" })
        yield* evict("d")
        const left = yield* Effect.forEach([embedded, real], (client) => client.call("GET", `${core}/pods`))
        assert.deepStrictEqual(...both(left.map(({ json }) => namesOf(json))))
      }),
    120_000
  )
}

const both = <A>([ours, theirs]: ReadonlyArray<A>): [A | undefined, A | undefined] => [ours, theirs]

/** Prints the keys of an object in one order. */
const SORTED = ["verbs", "apiGroups", "resources", "resourceNames", "nonResourceURLs"]
