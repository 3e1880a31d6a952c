import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { eventually } from "../../../../src/machine/Eventually.ts"
import type { Json, JsonObject } from "@quarterdeck/embedded-cluster/Json"
import { patching, VIEWER } from "../Client.ts"
import { namespace, Pair, same, type Suite } from "./Pair.ts"

const GROUP = "rbac.authorization.k8s.io"
const RBAC = `/apis/${GROUP}/v1`
const APPLY = "application/apply-patch+yaml"

const rule = (verbs: Json, apiGroups: Json, resources: Json, resourceNames?: Json): JsonObject => ({
  verbs,
  apiGroups,
  resources,
  ...(resourceNames === undefined ? {} : { resourceNames })
})
const SECRETS = rule(["get"], [""], ["secrets"])
const EVERYTHING = rule(["*"], ["*"], ["*"])

const role = (name: string, rules: ReadonlyArray<JsonObject>, more: JsonObject = {}): JsonObject => ({
  metadata: { name },
  rules,
  ...more
})

const binding = (
  name: string,
  kind: string,
  to: string,
  subjects: ReadonlyArray<JsonObject> = GROUP_G
): JsonObject => ({
  metadata: { name },
  roleRef: { apiGroup: GROUP, kind, name: to },
  subjects
})
const GROUP_G = [{ kind: "Group", name: "g" }]
const TO_VIEWER = [{ kind: "User", name: "viewer" }]

/** What nobody may give, because he does not have it. */
export const grants = (it: Suite): void => {
  it.effect(
    "on rights that somebody grants who does not have them",
    () =>
      Effect.gen(function* () {
        const { name } = yield* namespace
        const { real } = yield* Pair
        const here = `${RBAC}/namespaces/${name}`
        const own = `makers-${name}`
        const token = VIEWER
        const makers = (plurals: ReadonlyArray<string>) => rule(["create", "update", "patch"], [GROUP], plurals)
        yield* same("POST", `${here}/roles`, {
          body: role("maker", [
            makers(["roles", "rolebindings"]),
            rule(["get", "list"], ["", "apps"], ["pods", "*/log"]),
            rule(["get"], [""], ["secrets"], ["a", "b"])
          ])
        })
        yield* same("POST", `${here}/rolebindings`, { body: binding("maker", "Role", "maker", TO_VIEWER) })
        yield* same("POST", `${RBAC}/clusterroles`, {
          body: role(own, [
            makers(["clusterroles", "clusterrolebindings"]),
            rule(["get"], [""], ["nodes"]),
            { nonResourceURLs: ["/x/*"], verbs: ["get"] }
          ])
        })
        yield* same("POST", `${RBAC}/clusterrolebindings`, { body: binding(own, "ClusterRole", own, TO_VIEWER) })
        yield* same("POST", `${here}/roles`, { body: role("strong", [SECRETS]) })
        yield* same("POST", `${here}/rolebindings`, { body: binding("strong", "Role", "strong") })
        const knows = (path: string, body: JsonObject) =>
          eventually(
            "the real server knows of the rights",
            real.call("POST", `${path}?dryRun=All`, { body, token }),
            ({ status }) => status === 201
          )
        yield* knows(`${here}/roles`, role("x", []))
        yield* knows(`${RBAC}/clusterroles`, role("x", [rule(["get"], [""], ["nodes"])]))

        const given: ReadonlyArray<JsonObject> = [
          rule(["get", "watch", "delete"], ["", "apps", "batch"], ["pods", "pods/log", "*"]),
          rule(["get", "list"], [""], ["secrets"], ["a", "c"]),
          rule(["get"], [""], ["secrets"], ["b"]),
          SECRETS,
          rule(["get"], ["*"], ["pods"]),
          rule(["get"], [""], ["nodes"]),
          EVERYTHING,
          rule(["get"], [], ["pods"]),
          { nonResourceURLs: ["/x/y"], verbs: ["get"] },
          { nonResourceURLs: ["/x/*", "/y"], verbs: ["get", "post"] }
        ]
        for (const path of [`${here}/roles`, `${RBAC}/clusterroles`])
          for (const one of given) yield* same("POST", `${path}?dryRun=All`, { body: role("x", [one]), token })
        const gathering = { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } }
        yield* same("POST", `${RBAC}/clusterroles?dryRun=All`, { body: role("x", [], gathering), token })
        yield* same("POST", `${here}/roles`, { body: { metadata: { generateName: "x-" }, rules: [SECRETS] }, token })
        yield* same("POST", `${here}/roles`, { body: role("maker", [SECRETS]), token })

        const maker = `${here}/roles/maker?dryRun=All`
        yield* same("PUT", maker, { body: role("maker", [SECRETS]), token })
        const patches: ReadonlyArray<JsonObject> = [
          { rules: [EVERYTHING] },
          { rules: [rule(["get"], [""], ["pods"])] },
          { metadata: { resourceVersion: "1" }, rules: [SECRETS] },
          { metadata: { name: "other" }, rules: [SECRETS] },
          { metadata: { labels: { a: "b" } } }
        ]
        for (const patch of patches) {
          yield* same("PATCH", maker, { ...patching(patch), token })
          yield* same("PATCH", `${here}/roles/strong?dryRun=All`, { ...patching(patch), token })
        }
        // Whoever may write an object may let it go.
        const finalizers = { metadata: { finalizers: ["a.b/c"] } }
        yield* same("PATCH", `${here}/roles/strong?dryRun=All`, { ...patching(finalizers), token })
        const intent = { apiVersion: `${GROUP}/v1`, kind: "Role", ...role("applied", [SECRETS]) }
        yield* same("PATCH", `${here}/roles/applied?fieldManager=m`, { body: intent, type: APPLY, token })

        const references: ReadonlyArray<readonly [string, string]> = [
          ["Role", "strong"],
          ["Role", "maker"],
          ["Role", "none"],
          ["Role", ""],
          ["ClusterRole", "none"],
          ["ClusterRole", own],
          ["ClusterRole", "cluster-admin"],
          ["Foo", "x"]
        ]
        for (const [kind, to] of references) {
          yield* same("POST", `${here}/rolebindings?dryRun=All`, { body: binding("x", kind, to), token })
          yield* same("POST", `${RBAC}/clusterrolebindings?dryRun=All`, { body: binding("x", kind, to), token })
        }
        for (const patch of [{ subjects: TO_VIEWER }, { metadata: { labels: { a: "b" } } }, finalizers])
          yield* same("PATCH", `${here}/rolebindings/strong?dryRun=All`, { ...patching(patch), token })

        // The two verbs that allow it, and rights that come with a role of the whole cluster.
        yield* same("POST", `${here}/roles`, {
          body: role("trusted", [
            rule(["escalate"], [GROUP], ["roles"]),
            rule(["bind"], [GROUP], ["clusterroles"], ["cluster-admin"])
          ])
        })
        yield* same("POST", `${here}/rolebindings`, { body: binding("trusted", "Role", "trusted", TO_VIEWER) })
        yield* knows(`${here}/roles`, role("x", [EVERYTHING]))
        yield* same("POST", `${here}/roles?dryRun=All`, { body: role("x", [EVERYTHING]), token })
        yield* same("PATCH", maker, { ...patching({ rules: [EVERYTHING] }), token })
        for (const to of ["cluster-admin", "none"]) {
          yield* same("POST", `${here}/rolebindings?dryRun=All`, { body: binding("x", "ClusterRole", to), token })
          yield* same("POST", `${RBAC}/clusterrolebindings?dryRun=All`, {
            body: binding("x", "ClusterRole", to),
            token
          })
        }
        yield* same("POST", `${here}/rolebindings`, { body: binding("all", "ClusterRole", "cluster-admin", TO_VIEWER) })
        yield* knows(`${here}/rolebindings`, binding("x", "Role", "strong"))
        yield* same("POST", `${here}/rolebindings?dryRun=All`, { body: binding("x", "Role", "strong"), token })
        yield* same("DELETE", `${RBAC}/clusterrolebindings/${own}`)
      }),
    120_000
  )

  it.effect(
    "on roles and bindings that it refuses",
    () =>
      Effect.gen(function* () {
        const { name } = yield* namespace
        const here = `${RBAC}/namespaces/${name}`
        const rules: ReadonlyArray<JsonObject> = [
          { nonResourceURLs: ["/x"], verbs: ["get"] },
          { ...rule(["get"], [""], ["pods"]), nonResourceURLs: ["/x"] },
          rule([], [], []),
          {}
        ]
        for (const path of [`${here}/roles`, `${RBAC}/clusterroles`]) {
          for (const one of rules) yield* same("POST", `${path}?dryRun=All`, { body: role("x", [one]) })
          yield* same("POST", `${path}?dryRun=All`, { body: role("x", []) })
        }
        const empty = { aggregationRule: { clusterRoleSelectors: [] } }
        yield* same("POST", `${RBAC}/clusterroles?dryRun=All`, { body: role("x", [], empty) })
        const subjects: ReadonlyArray<ReadonlyArray<JsonObject>> = [
          [{ kind: "User" }],
          [{ kind: "User", name: "x" }, { kind: "Group" }],
          [{ kind: "Foo", name: "x" }],
          [{}],
          [{ kind: "User", name: "x", apiGroup: "foo" }],
          [{ kind: "Group", name: "x", apiGroup: "" }],
          [{ kind: "ServiceAccount", name: "x" }],
          [{ kind: "ServiceAccount" }],
          [{ kind: "ServiceAccount", name: "UPPER", namespace: "n" }],
          [{ kind: "ServiceAccount", name: "x", namespace: "n", apiGroup: GROUP }],
          []
        ]
        for (const path of [`${here}/rolebindings`, `${RBAC}/clusterrolebindings`])
          for (const one of subjects)
            yield* same("POST", `${path}?dryRun=All`, { body: binding("x", "ClusterRole", "x", one) })
        const references: ReadonlyArray<JsonObject> = [
          { apiGroup: "foo", kind: "ClusterRole", name: "a" },
          { apiGroup: "", kind: "Foo", name: "a" },
          { kind: "ClusterRole", name: "a/b" },
          {}
        ]
        for (const roleRef of references)
          yield* same("POST", `${here}/rolebindings?dryRun=All`, { body: { metadata: { name: "x" }, roleRef } })
      }),
    120_000
  )

  it.effect(
    "on a service account that a binding of its namespace names without one",
    () =>
      Effect.gen(function* () {
        const { core, name } = yield* namespace
        const here = `${RBAC}/namespaces/${name}`
        const { real } = yield* Pair
        yield* same("POST", `${here}/roles`, { body: role("reader", [rule(["list"], [""], ["pods"])]) })
        const robot = [{ kind: "ServiceAccount", name: "robot" }]
        yield* same("POST", `${here}/rolebindings`, { body: binding("reader", "Role", "reader", robot) })
        const headers = { "impersonate-user": `system:serviceaccount:${name}:robot` }
        yield* eventually(
          "the real server knows of the right",
          real.call("GET", `${core}/pods`, { headers }),
          ({ status }) => status === 200
        )
        assert.strictEqual((yield* same("GET", `${core}/pods`, { headers })).status, 200)
      }),
    120_000
  )
}
