import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { arrayAt, type JsonObject, textAt } from "@quarterdeck/embedded-cluster/Json"
import { deployment, patching, pod } from "./Client.ts"
import { nextLine, session, typed } from "./KubectlSession.ts"

const web = (replicas = 2): JsonObject => typed("apps/v1", "Deployment", deployment("web", replicas))

/** What people type at an embedded cluster. */
export const kubectl = (path: string): void => {
  it.live(
    "says which server it talks to, in few requests",
    () =>
      Effect.gen(function* () {
        const { kubectl, server } = yield* session(path)
        assert.include(yield* kubectl("version"), "Server Version: v1.36.3")
        yield* kubectl("get", "pods")
        const { requests } = yield* server.counters
        assert.isAtMost(requests.get("get path") ?? 0, 4)
      }),
    120_000
  )

  it.live(
    "applies twice: created, then unchanged; a change is configured",
    () =>
      Effect.gen(function* () {
        const { kubectl, manifest } = yield* session(path)
        const two = yield* manifest("two.json", web(2))
        const three = yield* manifest("three.json", web(3))
        assert.strictEqual(yield* kubectl("apply", "--validate=false", "-f", two), "deployment.apps/web created")
        assert.strictEqual(yield* kubectl("apply", "--validate=false", "-f", two), "deployment.apps/web unchanged")
        assert.strictEqual(yield* kubectl("apply", "--validate=false", "-f", three), "deployment.apps/web configured")
        assert.strictEqual(yield* kubectl("get", "deploy", "web", "-o", "jsonpath={.spec.replicas}"), "3")
        assert.match(
          yield* kubectl("apply", "--server-side", "--force-conflicts", "--validate=false", "-f", two),
          /serverside-applied/
        )
      }),
    120_000
  )

  it.live(
    "gets tables, short and wide, of one kind and of all",
    () =>
      Effect.gen(function* () {
        const { kubectl, manifest } = yield* session(path)
        const all = yield* manifest("all.json", web(), typed("v1", "Pod", pod("solo")))
        yield* kubectl("create", "--validate=false", "-f", all)
        assert.match(
          yield* kubectl("get", "deploy"),
          /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +0\/2 +0 +0 +[0-9]+s$/
        )
        assert.match(
          yield* kubectl("get", "deploy", "-o", "wide"),
          /CONTAINERS +IMAGES +SELECTOR\n.*main +registry\.example\/app:1 +app=web/
        )
        assert.match(
          yield* kubectl("get", "pods", "-A"),
          /^NAMESPACE +NAME +READY +STATUS +RESTARTS +AGE\ndefault +solo +0\/1 +Pending +0 /
        )
        const everything = yield* kubectl("get", "all")
        for (const name of ["pod/solo", "service/kubernetes", "deployment.apps/web"]) assert.include(everything, name)
        assert.strictEqual(yield* kubectl("get", "pods", "-l", "app=none", "-o", "name"), "")
      }),
    120_000
  )

  it.live(
    "describes what it finds",
    () =>
      Effect.gen(function* () {
        const { kubectl, manifest } = yield* session(path)
        yield* kubectl(
          "create",
          "--validate=false",
          "-f",
          yield* manifest("all.json", web(), typed("v1", "Pod", pod("solo")))
        )
        const described = yield* kubectl("describe", "deploy", "web")
        assert.match(described, /Replicas: +2 desired \| 0 updated/)
        assert.match(described, /RollingUpdateStrategy: +25% max unavailable, 25% max surge/)
        assert.match(yield* kubectl("describe", "pod", "solo"), /QoS Class: +BestEffort/)
        assert.match(yield* kubectl("describe", "namespace", "default"), /Status: +Active/)
      }),
    120_000
  )

  it.live(
    "scales, labels, patches, restarts, pauses",
    () =>
      Effect.gen(function* () {
        const { call, kubectl, manifest } = yield* session(path)
        yield* kubectl("create", "--validate=false", "-f", yield* manifest("web.json", web()))
        assert.strictEqual(yield* kubectl("scale", "deploy", "web", "--replicas=5"), "deployment.apps/web scaled")
        assert.strictEqual(yield* kubectl("label", "deploy", "web", "team=a"), "deployment.apps/web labeled")
        yield* kubectl("patch", "deploy", "web", "-p", '{"spec":{"minReadySeconds":3}}')
        yield* kubectl("patch", "deploy", "web", "--type=merge", "-p", '{"spec":{"revisionHistoryLimit":4}}')
        yield* kubectl(
          "patch",
          "deploy",
          "web",
          "--type=json",
          "-p",
          '[{"op":"remove","path":"/metadata/labels/team"}]'
        )
        yield* kubectl("set", "image", "deploy/web", "main=registry.example/app:2")
        yield* kubectl("rollout", "restart", "deploy/web")
        yield* kubectl("rollout", "pause", "deploy/web")
        const { json } = yield* call("GET", "/apis/apps/v1/namespaces/default/deployments/web")
        const spec = json["spec"]
        assert.deepInclude(spec, { replicas: 5, minReadySeconds: 3, revisionHistoryLimit: 4, paused: true })
        assert.strictEqual(
          textAt(arrayAt(spec, "template", "spec", "containers")[0], "image"),
          "registry.example/app:2"
        )
        assert.notStrictEqual(
          textAt(spec, "template", "metadata", "annotations", "kubectl.kubernetes.io/restartedAt"),
          ""
        )
      }),
    120_000
  )

  it.live(
    "waits for a condition, and for an end",
    () =>
      Effect.gen(function* () {
        const { call, kubectl, manifest } = yield* session(path)
        yield* kubectl("create", "--validate=false", "-f", yield* manifest("pod.json", typed("v1", "Pod", pod("solo"))))
        const ready = patching({ status: { conditions: [{ type: "Ready", status: "True" }] } })
        const [waited] = yield* Effect.all(
          [
            kubectl("wait", "--for=condition=Ready", "pod/solo", "--timeout=20s"),
            call("PATCH", "/api/v1/namespaces/default/pods/solo/status", ready)
          ],
          { concurrency: 2 }
        )
        assert.strictEqual(waited, "pod/solo condition met")
        const [gone] = yield* Effect.all(
          [kubectl("wait", "--for=delete", "pod/solo", "--timeout=20s"), kubectl("delete", "pod", "solo")],
          { concurrency: 2 }
        )
        assert.include(["pod/solo condition met", ""], gone)
        assert.include(yield* kubectl("delete", "pod", "solo", "--ignore-not-found"), "")
      }),
    120_000
  )

  it.live(
    "watches rows as they change",
    () =>
      Effect.gen(function* () {
        const { call, lines } = yield* session(path)
        yield* call("POST", "/api/v1/namespaces/default/pods", { body: pod("solo") })
        const watched = yield* lines("get", "pods", "-w")
        assert.match(yield* nextLine(watched), /^NAME/)
        assert.match(yield* nextLine(watched), /^solo +0\/1 +Pending/)
        yield* call("PATCH", "/api/v1/namespaces/default/pods/solo/status", patching({ status: { phase: "Running" } }))
        assert.match(yield* nextLine(watched), /^solo +0\/1 +Running/)
      }),
    120_000
  )

  it.live(
    "deletes objects and namespaces, and returns once they are gone",
    () =>
      Effect.gen(function* () {
        const { kubectl, manifest, refused } = yield* session(path)
        const shop = typed("v1", "Namespace", { metadata: { name: "shop" } })
        const inside = typed("v1", "Pod", { ...pod("solo"), metadata: { name: "solo", namespace: "shop" } })
        const file = yield* manifest("shop.json", shop, inside)
        yield* kubectl("create", "--validate=false", "-f", file)
        assert.include(yield* kubectl("delete", "namespace", "shop"), 'namespace "shop" deleted')
        assert.include(yield* refused("get", "pod", "solo", "-n", "shop"), "NotFound")
      }),
    120_000
  )

  it.live(
    "says in the server's words what is refused",
    () =>
      Effect.gen(function* () {
        const { kubectl, manifest, refused } = yield* session(path)
        const file = yield* manifest("web.json", web())
        yield* kubectl("create", "--validate=false", "-f", file)
        assert.include(
          yield* refused("create", "--validate=false", "-f", file),
          'deployments.apps "web" already exists'
        )
        assert.include(yield* refused("get", "pods", "-l", "a in (b"), "(BadRequest)")
        assert.include(yield* refused("get", "widgets"), 'the server doesn\'t have a resource type "widgets"')
      }),
    120_000
  )

  it.live(
    "applies with its own validation, and refuses fields that a kind does not have",
    () =>
      Effect.gen(function* () {
        const { kubectl, manifest, refused } = yield* session(path)
        const file = yield* manifest("web.json", web())
        assert.strictEqual(yield* kubectl("apply", "-f", file), "deployment.apps/web created")
        assert.strictEqual(yield* kubectl("apply", "-f", file), "deployment.apps/web unchanged")
        const odd = yield* manifest("odd.json", { ...web(3), other: 1 })
        assert.include(yield* refused("apply", "-f", odd), 'unknown field "other"')
        assert.include(yield* kubectl("apply", "--validate=warn", "-f", odd), "deployment.apps/web configured")
      }),
    120_000
  )
}
