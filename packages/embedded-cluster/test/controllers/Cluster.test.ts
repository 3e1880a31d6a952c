import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { arrayAt, at, type JsonObject, objectAt, textAt } from "../../src/core/Json.ts"
import { connect, deployment, patching, pod } from "../Client.ts"
import { APPS, cluster, condition, isAvailable, NAMESPACE, node, PODS, watching } from "./Machine.ts"

const asking = (requests: JsonObject): JsonObject => ({
  containers: [{ name: "main", image: "i", resources: { requests } }]
})
const SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
const BUDGET = "/apis/policy/v1/namespaces/default/poddisruptionbudgets"

describe("the scheduler", () => {
  it.live("fills nodes evenly within their resources, and reports why a pod does not fit", () =>
    Effect.gen(function* () {
      const { call, items, until, untilItems } = yield* cluster({ nodes: 2, kubelet: false })
      for (const name of ["a", "b", "c"]) yield* call("POST", PODS, { body: pod(name, asking({ cpu: "30" })) })
      yield* untilItems("all are bound", PODS, (pods) => pods.every((one) => textAt(one, "spec", "nodeName") !== ""))
      const nodes = (yield* items(PODS)).map((one) => textAt(one, "spec", "nodeName"))
      assert.strictEqual(new Set(nodes).size, 2)
      yield* call("POST", PODS, { body: pod("d", asking({ cpu: "40" })) })
      const refused = yield* until(
        "d fits nowhere",
        `${PODS}/d`,
        (one) => condition(one, "PodScheduled")["reason"] === "Unschedulable"
      )
      assert.include(
        textAt(condition(refused, "PodScheduled"), "message"),
        "0/2 nodes are available: 2 Insufficient cpu."
      )
      // The pod that is alone on its node frees its resources.
      const alone = ["a", "b", "c"].find((_, index) => nodes.filter((one) => one === nodes[index]).length === 1) ?? ""
      yield* call("DELETE", `${PODS}/${alone}?gracePeriodSeconds=0`)
      yield* until("d has room now", `${PODS}/d`, (one) => textAt(one, "spec", "nodeName") !== "")
    })
  )

  it.live("respects node selectors, taints and cordons", () =>
    Effect.gen(function* () {
      const { call, until } = yield* cluster({ kubelet: false })
      yield* call("PATCH", "/api/v1/nodes/n1", patching({ spec: { unschedulable: true } }))
      yield* until("n1 is tainted", "/api/v1/nodes/n1", (one) =>
        JSON.stringify(one).includes("node.kubernetes.io/unschedulable")
      )
      yield* call("POST", PODS, { body: pod("plain") })
      yield* until("plain waits", `${PODS}/plain`, (one) => condition(one, "PodScheduled")["status"] === "False")
      const tainted = node("special", { labels: { disk: "fast" } })
      yield* call("POST", "/api/v1/nodes", {
        body: { ...tainted, spec: { taints: [{ key: "team", value: "a", effect: "NoSchedule" }] } }
      })
      const tolerations = [{ key: "team", operator: "Equal", value: "a", effect: "NoSchedule" }]
      yield* call("POST", PODS, { body: pod("tolerant", { tolerations, nodeSelector: { disk: "fast" } }) })
      const placed = yield* until(
        "tolerant is placed",
        `${PODS}/tolerant`,
        (one) => textAt(one, "spec", "nodeName") !== ""
      )
      assert.strictEqual(textAt(placed, "spec", "nodeName"), "special")
      assert.strictEqual(condition(placed, "PodScheduled")["status"], "True")
      yield* call("PATCH", "/api/v1/nodes/n1", patching({ spec: { unschedulable: null } }))
      yield* until("plain is placed", `${PODS}/plain`, (one) => textAt(one, "spec", "nodeName") === "n1")
    })
  )

  it.live("uses a node only after it is ready and its initial taint is removed", () =>
    Effect.gen(function* () {
      const { call, until } = yield* cluster({ nodes: 0, kubelet: false })
      const body = node("late")
      yield* call("POST", "/api/v1/nodes", { body: { metadata: objectAt(body, "metadata") } })
      yield* call("POST", PODS, { body: pod("early") })
      yield* until(
        "early waits",
        `${PODS}/early`,
        (one) => condition(one, "PodScheduled")["reason"] === "Unschedulable"
      )
      yield* call("PATCH", "/api/v1/nodes/late/status", patching({ status: objectAt(body, "status") }))
      const ready = yield* until(
        "its taint is gone",
        "/api/v1/nodes/late",
        (one) => at(one, "spec", "taints") === undefined
      )
      assert.isDefined(ready)
      yield* until("early is placed", `${PODS}/early`, (one) => textAt(one, "spec", "nodeName") === "late")
    })
  )
})

describe("services, budgets, volumes, namespaces", () => {
  it.live("a service's endpoints are its pods, with named ports resolved", () =>
    Effect.gen(function* () {
      const { call, items, untilItems } = yield* cluster()
      const port = { name: "http", containerPort: 8080 }
      const labelled = {
        metadata: { name: "web-1", labels: { app: "web" } },
        spec: { containers: [{ name: "main", image: "i", ports: [port] }] }
      }
      yield* call("POST", `${NAMESPACE}/services`, {
        body: {
          metadata: { name: "web" },
          spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: "http" }] }
        }
      })
      yield* untilItems("an empty slice", SLICES, (slices) => slices.length === 1)
      yield* call("POST", PODS, { body: labelled })
      const [slice] = yield* untilItems("the pod is listed", SLICES, (slices) =>
        arrayAt(slices[0], "endpoints").some((one) => at(one, "conditions", "ready") === true)
      )
      assert.strictEqual(at(arrayAt(slice, "ports")[0], "port"), 8080)
      yield* call("DELETE", `${PODS}/web-1`)
      yield* untilItems("no pod is listed", SLICES, (slices) => arrayAt(slices[0], "endpoints").length === 0)
      yield* call("DELETE", `${NAMESPACE}/services/web`)
      yield* untilItems("the slice went with its service", SLICES, (slices) => slices.length === 0)
      assert.lengthOf(yield* items(SLICES), 0)
    })
  )

  it.live("a budget reports how many pods may be evicted", () =>
    Effect.gen(function* () {
      const { call, until } = yield* cluster()
      yield* call("POST", `${APPS}/deployments`, { body: deployment("web", 4) })
      yield* call("POST", BUDGET, {
        body: { metadata: { name: "web" }, spec: { maxUnavailable: "25%", selector: { matchLabels: { app: "web" } } } }
      })
      const budget = yield* until("one may go", `${BUDGET}/web`, (one) => at(one, "status", "disruptionsAllowed") === 1)
      assert.deepInclude(budget["status"], { currentHealthy: 4, desiredHealthy: 3, expectedPods: 4 })
      assert.strictEqual(condition(budget, "DisruptionAllowed")["reason"], "SufficientPods")
    })
  )

  it.live("a claim binds to a fitting volume, and a provisioned volume is deleted with its claim", () =>
    Effect.gen(function* () {
      const { call, items, until, untilItems } = yield* cluster({ nodes: 0, kubelet: false })
      const claims = `${NAMESPACE}/persistentvolumeclaims`
      const claim = (name: string, spec: JsonObject = {}) => ({
        metadata: { name },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, ...spec }
      })
      const volume = {
        metadata: { name: "disk" },
        spec: {
          capacity: { storage: "2Gi" },
          accessModes: ["ReadWriteOnce"],
          storageClassName: "fast",
          persistentVolumeReclaimPolicy: "Retain",
          hostPath: { path: "/disk" }
        }
      }
      yield* call("POST", "/api/v1/persistentvolumes", { body: volume })
      yield* until(
        "the volume is free",
        "/api/v1/persistentvolumes/disk",
        (one) => textAt(one, "status", "phase") === "Available"
      )
      yield* call("POST", claims, { body: claim("own", { storageClassName: "fast" }) })
      yield* call("POST", claims, { body: claim("made") })
      yield* call("POST", claims, { body: claim("static", { storageClassName: "" }) })
      const own = yield* until("own is bound", `${claims}/own`, (one) => textAt(one, "status", "phase") === "Bound")
      assert.strictEqual(textAt(own, "spec", "volumeName"), "disk")
      yield* until("made is bound", `${claims}/made`, (one) => textAt(one, "status", "phase") === "Bound")
      assert.lengthOf(yield* items("/api/v1/persistentvolumes"), 2)
      assert.strictEqual(textAt((yield* call("GET", `${claims}/static`)).json, "status", "phase"), "Pending")
      for (const name of ["own", "made"]) yield* call("DELETE", `${claims}/${name}`)
      yield* untilItems("the made volume is gone", "/api/v1/persistentvolumes", (all) => all.length === 1)
      yield* until(
        "the other is released",
        "/api/v1/persistentvolumes/disk",
        (one) => textAt(one, "status", "phase") === "Released"
      )
    })
  )

  it.live("a namespace gets its service account and CA certificate again after they are deleted", () =>
    Effect.gen(function* () {
      const { call, server, until } = yield* cluster({ nodes: 0, kubelet: false })
      yield* call("POST", "/api/v1/namespaces", { body: { metadata: { name: "shop" } } })
      const shop = "/api/v1/namespaces/shop"
      yield* until("the account", `${shop}/serviceaccounts/default`, (one) => one["kind"] === "ServiceAccount")
      const published = yield* until(
        "the certificate",
        `${shop}/configmaps/kube-root-ca.crt`,
        (one) => one["kind"] === "ConfigMap"
      )
      assert.strictEqual(textAt(published, "data", "ca.crt"), server.caPem)
      const { uid } = objectAt((yield* call("GET", `${shop}/serviceaccounts/default`)).json, "metadata")
      yield* call("DELETE", `${shop}/serviceaccounts/default`)
      yield* until(
        "another account",
        `${shop}/serviceaccounts/default`,
        (one) => one["kind"] === "ServiceAccount" && at(one, "metadata", "uid") !== uid
      )
    })
  )

  it.live("a reset restores the checkpoint, and the controllers continue from there", () =>
    Effect.gen(function* () {
      const { call, server, until, untilItems } = yield* cluster()
      const web = `${APPS}/deployments/web`
      yield* call("POST", `${APPS}/deployments`, { body: deployment("web", 2) })
      yield* until("web is available", web, isAvailable(2))
      yield* server.checkpoint
      yield* call("PATCH", `${web}/scale`, patching({ spec: { replicas: 4 } }))
      yield* until("web has grown", web, isAvailable(4))
      yield* server.reset
      yield* until("web is as it was", web, isAvailable(2))
      yield* untilItems("with its two pods", PODS, (pods) => pods.length === 2)
      yield* call("PATCH", `${web}/scale`, patching({ spec: { replicas: 3 } }))
      yield* until("web grows again", web, isAvailable(3))
    })
  )

  it.live("controllers stop while the cluster is killed, and finish their work after a restart", () =>
    Effect.gen(function* () {
      const { call, server } = yield* cluster({ kubelet: false })
      yield* call("POST", `${APPS}/deployments`, { body: deployment("web", 3) })
      yield* server.kill
      yield* server.restart
      const later = yield* connect(server)
      yield* watching(later).untilItems(
        "three pods are bound",
        PODS,
        (pods) => pods.length === 3 && pods.every((one) => textAt(one, "spec", "nodeName") !== "")
      )
      yield* server.restartEmpty
      const anew = yield* connect(server)
      yield* watching(anew).until(
        "the pods are bound again",
        `${NAMESPACE}/serviceaccounts/default`,
        (one) => one["kind"] === "ServiceAccount"
      )
      assert.lengthOf(yield* watching(anew).items(PODS), 0)
    })
  )
})
