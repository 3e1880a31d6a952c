import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { arrayAt, at, type JsonObject, textAt } from "../../src/embedded/Json.ts"
import { type Answer, configMap, deployment, namesOf, patching, pod, started, VIEWER } from "./Client.ts"

const PODS = "/api/v1/namespaces/default/pods"
const MAPS = "/api/v1/namespaces/default/configmaps"
const DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"
const PARTIAL = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
const STRATEGIC = "application/strategic-merge-patch+json"

const refusal = ({ json, status }: Answer) => [status, json["reason"], json["message"]]
const revision = ({ json }: Answer) => textAt(json, "metadata", "resourceVersion")

describe("who may", () => {
  it.effect("401 for a token that nobody has, 403 for nobody at all and for a user without a role", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      assert.deepStrictEqual(refusal(yield* call("GET", PODS, { token: "wrong" })), [401, "Unauthorized", "Unauthorized"])
      assert.deepStrictEqual(refusal(yield* call("GET", "/api/v1/pods", { token: "" })), [
        403,
        "Forbidden",
        "pods is forbidden: User \"system:anonymous\" cannot list resource \"pods\" in API group \"\" at the cluster scope"
      ])
      assert.deepStrictEqual(refusal(yield* call("GET", `${DEPLOYMENTS}/web/scale`, { token: VIEWER })), [
        403,
        "Forbidden",
        "deployments.apps \"web\" is forbidden: User \"viewer\" cannot get resource \"deployments/scale\" in API group \"apps\" "
        + "in the namespace \"default\""
      ])
    }))

  it.effect("a role reaches what it names, and ends with its binding", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/default"
      yield* call("POST", `${rbac}/roles`, {
        body: { metadata: { name: "one" }, rules: [{ apiGroups: [""], resources: ["pods"], resourceNames: ["web"], verbs: ["get"] }] }
      })
      yield* call("POST", `${rbac}/rolebindings`, {
        body: { metadata: { name: "one" }, roleRef: { kind: "Role", name: "one" }, subjects: [{ kind: "Group", name: "team-a" }] }
      })
      assert.strictEqual((yield* call("GET", `${PODS}/web`, { token: VIEWER })).status, 404)
      assert.strictEqual((yield* call("GET", `${PODS}/other`, { token: VIEWER })).status, 403)
      assert.strictEqual((yield* call("GET", PODS, { token: VIEWER })).status, 403)
      yield* call("DELETE", `${rbac}/rolebindings/one`)
      assert.strictEqual((yield* call("GET", `${PODS}/web`, { token: VIEWER })).status, 403)
    }))

  it.effect("the role view takes in what is aggregated into it", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      yield* call("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {
        body: { metadata: { name: "v" }, roleRef: { kind: "ClusterRole", name: "view" }, subjects: [{ kind: "User", name: "viewer" }] }
      })
      assert.strictEqual((yield* call("GET", "/api/v1/pods", { token: VIEWER })).status, 200)
      assert.strictEqual((yield* call("GET", "/api/v1/secrets", { token: VIEWER })).status, 403)
      assert.strictEqual((yield* call("DELETE", `${PODS}/x`, { token: VIEWER })).status, 403)
    }))

  it.effect("an access review answers what the call would get, and by which binding", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      const path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
      const review = (spec: JsonObject, token?: string) =>
        Effect.map(call("POST", path, { body: { spec }, ...(token === undefined ? {} : { token }) }), ({ json }) => json["status"])
      assert.deepStrictEqual(yield* review({ resourceAttributes: { verb: "list", resource: "pods" } }), { allowed: true })
      assert.deepStrictEqual(yield* review({ resourceAttributes: { verb: "list", resource: "pods" } }, VIEWER), { allowed: false })
      assert.deepStrictEqual(yield* review({ nonResourceAttributes: { verb: "get", path: "/apis/apps/v1" } }, VIEWER), {
        allowed: true,
        reason: "RBAC: allowed by ClusterRoleBinding \"system:discovery\" of ClusterRole \"system:discovery\" to Group "
          + "\"system:authenticated\""
      })
    }))
})

describe("discovery and negotiation", () => {
  it.effect("serves the aggregated form to who asks for it and the older one to who does not", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json"
      const aggregated = yield* call("GET", "/apis", { accept })
      assert.strictEqual(aggregated.type, "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
      assert.strictEqual(aggregated.json["kind"], "APIGroupDiscoveryList")
      assert.strictEqual((yield* call("GET", "/apis")).json["kind"], "APIGroupList")
      const apps = yield* call("GET", "/apis/apps/v1")
      const scale = arrayAt(apps.json, "resources").find((one) => textAt(one, "name") === "deployments/scale")
      assert.deepStrictEqual(scale, {
        name: "deployments/scale",
        singularName: "",
        namespaced: true,
        group: "autoscaling",
        version: "v1",
        kind: "Scale",
        verbs: ["get", "patch", "update"]
      })
    }))

  it.effect("404 for a page, a group, a kind and a subresource that are not there, each in the real server's form", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      const page = yield* call("GET", "/apis/metrics.k8s.io/v1beta1")
      assert.deepStrictEqual([page.status, page.type, page.text], [404, "text/plain; charset=utf-8", "404 page not found\n"])
      for (const path of ["/api/v2", "/apis/apps/v1/widgets", `${PODS}/a/widgets`, "/api/v1/namespaces/default/nodes"]) {
        assert.deepStrictEqual(refusal(yield* call("GET", path)), [
          404,
          "NotFound",
          "the server could not find the requested resource"
        ], path)
      }
    }))

  it.effect("405 where the resource has no such verb", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      for (const [method, path] of [["POST", `${PODS}/a`], ["PUT", PODS], ["DELETE", "/api/v1/namespaces"], ["POST", "/api/v1/pods"]] as const) {
        assert.strictEqual((yield* call(method, path, { body: {} })).status, 405, `${method} ${path}`)
      }
    }))

  it.effect("shows objects as a table, as metadata, and whole", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      yield* call("POST", DEPLOYMENTS, { body: deployment("web") })
      const table = yield* call("GET", DEPLOYMENTS, { accept: TABLE })
      assert.deepStrictEqual(arrayAt(table.json, "columnDefinitions").map((one) => textAt(one, "name")), [
        "Name",
        "Ready",
        "Up-to-date",
        "Available",
        "Age",
        "Containers",
        "Images",
        "Selector"
      ])
      const [row] = arrayAt(table.json, "rows")
      assert.deepStrictEqual(arrayAt(row, "cells").toSpliced(4, 1), ["web", "0/2", 0, 0, "main", "registry.example/app:1", "app=web"])
      assert.strictEqual(textAt(row, "object", "kind"), "PartialObjectMetadata")
      const metadata = yield* call("GET", DEPLOYMENTS, { accept: PARTIAL })
      assert.strictEqual(metadata.json["kind"], "PartialObjectMetadataList")
      assert.isUndefined(at(arrayAt(metadata.json, "items")[0], "spec"))
      const whole = yield* call("GET", DEPLOYMENTS)
      assert.isUndefined(at(arrayAt(whole.json, "items")[0], "kind"))
      assert.strictEqual(whole.json["kind"], "DeploymentList")
    }))

  it.effect("415 for protobuf, 406 for a form that does not exist, 413 for a body beyond the limit", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      const protobuf = yield* call("POST", PODS, { body: "k8s", type: "application/vnd.kubernetes.protobuf" })
      assert.deepStrictEqual(protobuf.status, 415)
      assert.include(protobuf.json["message"], "application/json")
      assert.strictEqual((yield* call("GET", PODS, { accept: "text/html" })).status, 406)
      const large = yield* call("POST", MAPS, { body: configMap("big", {}, { data: "x".repeat(3 * 1024 * 1024) }) })
      assert.deepStrictEqual(refusal(large), [413, "RequestEntityTooLarge", "Request entity too large: limit is 3145728"])
    }))

  it.effect("compresses what is long, for who takes it", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      yield* Effect.forEach(["a", "b", "c"], (name) => call("POST", MAPS, { body: configMap(name, {}, { data: "x".repeat(60_000) }) }))
      const plain = yield* call("GET", MAPS)
      assert.deepStrictEqual(namesOf(plain.json), ["a", "b", "c"])
      assert.isUndefined(plain.headers["content-encoding"])
      const packed = yield* call("GET", MAPS, { acceptEncoding: "gzip" })
      assert.strictEqual(packed.headers["content-encoding"], "gzip")
    }))
})

describe("writing", () => {
  it.effect("gives a new object its identity, its defaults and a status of its own", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      const made = yield* call("POST", DEPLOYMENTS, { body: { ...deployment("web"), status: { replicas: 9 } } })
      assert.strictEqual(made.status, 201)
      assert.match(textAt(made.json, "metadata", "uid"), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.strictEqual(at(made.json, "metadata", "generation"), 1)
      assert.deepStrictEqual(at(made.json, "spec", "strategy"), {
        type: "RollingUpdate",
        rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" }
      })
      assert.deepStrictEqual(made.json["status"], {})
      const limited = yield* call("POST", PODS, {
        body: pod("limited", { containers: [{ name: "a", image: "b", resources: { limits: { cpu: "1000m" } } }] })
      })
      assert.deepStrictEqual(at(arrayAt(limited.json, "spec", "containers")[0], "resources"), {
        limits: { cpu: "1" },
        requests: { cpu: "1" }
      })
      const generated = yield* call("POST", MAPS, { body: { metadata: { generateName: "g-" } } })
      assert.match(textAt(generated.json, "metadata", "name"), /^g-[a-z0-9]{5}$/)
    }))

  it.effect("refuses what the real server refuses, in its words", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      yield* call("POST", PODS, { body: pod("p") })
      assert.deepStrictEqual(refusal(yield* call("POST", PODS, { body: pod("p") })), [409, "AlreadyExists", "pods \"p\" already exists"])
      assert.deepStrictEqual(refusal(yield* call("GET", `${DEPLOYMENTS}/no`)), [404, "NotFound", "deployments.apps \"no\" not found"])
      const nameless = yield* call("POST", PODS, { body: { spec: { containers: [{ name: "a", image: "b" }] } } })
      assert.deepStrictEqual(at(nameless.json, "details", "causes"), [{
        reason: "FieldValueRequired",
        message: "Required value: name or generateName is required",
        field: "metadata.name"
      }])
      const negative = yield* call("POST", DEPLOYMENTS, { body: deployment("neg", -1) })
      assert.deepStrictEqual(refusal(negative), [
        422,
        "Invalid",
        "Deployment.apps \"neg\" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0"
      ])
      assert.strictEqual((yield* call("POST", "/api/v1/namespaces/nowhere/pods", { body: pod("p") })).status, 404)
    }))

  it.effect("a change that changes nothing keeps the version; a stale one is refused", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      const made = yield* call("POST", MAPS, { body: configMap("c") })
      const same = yield* call("PUT", `${MAPS}/c`, { body: made.json })
      assert.strictEqual(revision(same), revision(made))
      const changed = yield* call("PUT", `${MAPS}/c`, { body: { ...made.json, data: { key: "other" } } })
      assert.strictEqual(Number(revision(changed)), Number(revision(made)) + 1)
      assert.deepStrictEqual(refusal(yield* call("PUT", `${MAPS}/c`, { body: made.json })), [
        409,
        "Conflict",
        "Operation cannot be fulfilled on configmaps \"c\": the object has been modified; please apply your changes to the latest "
        + "version and try again"
      ])
    }))

  it.effect("status and the object are written apart, and only the object counts generations", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      yield* call("POST", DEPLOYMENTS, { body: deployment("web") })
      const body = { spec: { replicas: 5 }, status: { replicas: 3 } }
      const status = yield* call("PATCH", `${DEPLOYMENTS}/web/status`, patching(body))
      assert.deepStrictEqual([at(status.json, "spec", "replicas"), at(status.json, "status", "replicas")], [2, 3])
      assert.strictEqual(at(status.json, "metadata", "generation"), 1)
      const main = yield* call("PATCH", `${DEPLOYMENTS}/web`, patching({ ...body, status: { replicas: 7 } }))
      assert.deepStrictEqual([at(main.json, "spec", "replicas"), at(main.json, "status", "replicas")], [5, 3])
      assert.strictEqual(at(main.json, "metadata", "generation"), 2)
    }))

  it.effect("scales by the scale of a workload, and refuses a stale or negative one", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      yield* call("POST", DEPLOYMENTS, { body: deployment("web") })
      const scale = yield* call("GET", `${DEPLOYMENTS}/web/scale`)
      assert.deepStrictEqual([scale.json["kind"], scale.json["spec"], at(scale.json, "status", "selector")], [
        "Scale",
        { replicas: 2 },
        "app=web"
      ])
      const scaled = yield* call("PUT", `${DEPLOYMENTS}/web/scale`, { body: { ...scale.json, spec: { replicas: 4 } } })
      assert.deepStrictEqual(scaled.json["spec"], { replicas: 4 })
      assert.strictEqual((yield* call("PUT", `${DEPLOYMENTS}/web/scale`, { body: { ...scale.json, spec: { replicas: 1 } } })).status, 409)
      assert.strictEqual((yield* call("PATCH", `${DEPLOYMENTS}/web/scale`, patching({ spec: { replicas: -1 } }))).status, 422)
      assert.strictEqual(at((yield* call("GET", `${DEPLOYMENTS}/web`)).json, "spec", "replicas"), 4)
    }))

  it.effect("a strategic patch merges a container by its name", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      yield* call("POST", DEPLOYMENTS, { body: deployment("web") })
      const body = { spec: { template: { spec: { containers: [{ name: "main", env: [{ name: "B", value: "2" }] }] } } } }
      const patched = yield* call("PATCH", `${DEPLOYMENTS}/web`, patching(body, STRATEGIC))
      const [main] = arrayAt(patched.json, "spec", "template", "spec", "containers")
      assert.strictEqual(textAt(main, "image"), "registry.example/app:1")
      assert.sameDeepMembers([...arrayAt(main, "env")], [{ name: "A", value: "1" }, { name: "B", value: "2" }])
    }))

  it.effect("applies: creates, keeps to its own fields, tells of conflicts and takes over when forced", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      const apply = (manager: string, data: JsonObject, extra = "") =>
        call("PATCH", `${MAPS}/a?fieldManager=${manager}${extra}`, {
          body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data },
          type: "application/apply-patch+yaml"
        })
      assert.strictEqual((yield* apply("one", { x: "1", y: "1" })).status, 201)
      const conflict = yield* apply("two", { x: "2" })
      assert.deepStrictEqual(refusal(conflict), [409, "Conflict", "Apply failed with 1 conflict: conflict with \"one\": .data.x"])
      assert.deepStrictEqual((yield* apply("two", { x: "2", z: "2" }, "&force=true")).json["data"], { x: "2", y: "1", z: "2" })
      assert.deepStrictEqual((yield* apply("two", { z: "2" })).json["data"], { y: "1", z: "2" })
      const again = yield* apply("two", { z: "2" })
      assert.strictEqual(revision(again), revision(yield* call("GET", `${MAPS}/a`)))
      const nobody = yield* call("PATCH", `${MAPS}/a`, { body: "{}", type: "application/apply-patch+yaml" })
      assert.strictEqual(nobody.status, 422)
    }))

  it.effect("what others wrote before the first apply is theirs", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      yield* call("POST", DEPLOYMENTS, { body: deployment("web") })
      const intent = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" }, spec: { replicas: 7 } }
      const apply = yield* call("PATCH", `${DEPLOYMENTS}/web?fieldManager=me`, { body: intent, type: "application/apply-patch+yaml" })
      assert.deepStrictEqual(refusal(apply), [
        409,
        "Conflict",
        "Apply failed with 1 conflict: conflict with \"before-first-apply\" using apps/v1: .spec.replicas"
      ])
    }))

  it.effect("a dry run answers what would be, and keeps nothing", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      const made = yield* call("POST", `${MAPS}?dryRun=All`, { body: configMap("dry") })
      assert.deepStrictEqual([made.status, revision(made)], [201, ""])
      assert.strictEqual((yield* call("GET", `${MAPS}/dry`)).status, 404)
    }))
})

describe("deleting", () => {
  it.effect("an unbound pod goes at once, a bound one waits for its kubelet", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      yield* call("POST", PODS, { body: pod("free") })
      yield* call("DELETE", `${PODS}/free`)
      assert.strictEqual((yield* call("GET", `${PODS}/free`)).status, 404)

      yield* call("POST", PODS, { body: pod("bound") })
      const binding = { metadata: { name: "bound" }, target: { kind: "Node", name: "n1" } }
      const bound = yield* call("POST", `${PODS}/bound/binding`, { body: binding })
      assert.deepStrictEqual([bound.status, bound.json["status"]], [201, "Success"])
      const ending = yield* call("DELETE", `${PODS}/bound`)
      assert.strictEqual(at(ending.json, "metadata", "deletionGracePeriodSeconds"), 30)
      assert.strictEqual((yield* call("GET", `${PODS}/bound`)).status, 200)
      yield* call("DELETE", `${PODS}/bound?gracePeriodSeconds=0`)
      assert.strictEqual((yield* call("GET", `${PODS}/bound`)).status, 404)
    }))

  it.effect("a finalizer holds an object until it is taken off, and no other can be added", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      yield* call("POST", MAPS, { body: { metadata: { name: "c", finalizers: ["a.b/c"] } } })
      yield* call("DELETE", `${MAPS}/c`)
      const added = yield* call("PATCH", `${MAPS}/c`, patching({ metadata: { finalizers: ["a.b/c", "x.y/z"] } }))
      assert.strictEqual(added.status, 422)
      yield* call("PATCH", `${MAPS}/c`, patching({ metadata: { finalizers: null } }))
      assert.strictEqual((yield* call("GET", `${MAPS}/c`)).status, 404)
    }))

  it.effect("a namespace takes its contents with it, and what a finalizer holds keeps it", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      yield* call("POST", "/api/v1/namespaces", { body: { metadata: { name: "shop" } } })
      const maps = "/api/v1/namespaces/shop/configmaps"
      yield* call("POST", maps, { body: configMap("plain") })
      yield* call("POST", maps, { body: { metadata: { name: "held", finalizers: ["a.b/c"] } } })
      const ending = yield* call("DELETE", "/api/v1/namespaces/shop")
      assert.strictEqual(at(ending.json, "status", "phase"), "Terminating")
      assert.deepStrictEqual(namesOf((yield* call("GET", maps)).json), ["held"])
      assert.deepStrictEqual(refusal(yield* call("POST", maps, { body: configMap("new") })), [
        403,
        "Forbidden",
        "configmaps \"new\" is forbidden: unable to create new content in namespace shop because it is being terminated"
      ])
      yield* call("PATCH", `${maps}/held`, patching({ metadata: { finalizers: null } }))
      assert.strictEqual((yield* call("GET", "/api/v1/namespaces/shop")).status, 404)
    }))

  it.effect("dependents go with their owner, in the background or before it, or stay when orphaned", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      const owned = (name: string, uid: string) => ({
        metadata: { name, ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }] }
      })
      for (const propagationPolicy of ["Background", "Foreground"]) {
        const owner = yield* call("POST", MAPS, { body: configMap("owner") })
        yield* call("POST", MAPS, { body: owned("child", textAt(owner.json, "metadata", "uid")) })
        yield* call("DELETE", `${MAPS}/owner`, { body: { propagationPolicy } })
        assert.deepStrictEqual(namesOf((yield* call("GET", MAPS)).json), [], propagationPolicy)
      }
      const owner = yield* call("POST", MAPS, { body: configMap("owner") })
      yield* call("POST", MAPS, { body: owned("child", textAt(owner.json, "metadata", "uid")) })
      yield* call("DELETE", `${MAPS}/owner`, { body: { propagationPolicy: "Orphan" } })
      const left = yield* call("GET", `${MAPS}/child`)
      assert.isUndefined(at(left.json, "metadata", "ownerReferences"))
    }))

  it.effect("409 when a precondition does not hold, 403 for a namespace that every cluster has", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      yield* call("POST", MAPS, { body: configMap("c") })
      assert.strictEqual((yield* call("DELETE", `${MAPS}/c`, { body: { preconditions: { uid: "other" } } })).status, 409)
      assert.strictEqual((yield* call("DELETE", "/api/v1/namespaces/default")).status, 403)
    }))

  it.effect("a collection goes by its selector, and the reply lists what went", () =>
    Effect.gen(function*() {
      const { call } = yield* started()
      yield* Effect.forEach(["a", "b", "c"], (name) => call("POST", MAPS, { body: configMap(name, { keep: String(name === "b") }) }))
      const gone = yield* call("DELETE", `${MAPS}?labelSelector=keep%3Dfalse`)
      assert.deepStrictEqual(namesOf(gone.json), ["a", "c"])
      assert.deepStrictEqual(namesOf((yield* call("GET", MAPS)).json), ["b"])
    }))
})
