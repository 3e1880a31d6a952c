import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { at, configMap, configMapRef, deployment, deploymentRef, parent, pod, type Suite } from "./Fixture.ts"
import { kubectlAt } from "./KubectlAt.ts"

/** The verbs of kubectl, which nobody here wrote. */
export const kubectlVerbs = (it: Suite, program: string): void => {
  const session = Effect.flatMap(parent, (cluster) => kubectlAt(program, cluster))

  it.effect(
    "kubectl apply creates, then leaves unchanged, then configures",
    () =>
      Effect.gen(function* () {
        const { kubectl, manifest, namespace } = yield* session
        const first = yield* manifest("first.json", deployment(namespace, "web"))
        const second = yield* manifest("second.json", {
          ...deployment(namespace, "web"),
          metadata: { name: "web", namespace, labels: { tier: "front" } }
        })
        const apply = (file: string) => kubectl("apply", "--validate=false", "-f", file)
        assert.strictEqual(yield* apply(first), "deployment.apps/web created")
        assert.strictEqual(yield* apply(first), "deployment.apps/web unchanged")
        assert.strictEqual(yield* apply(second), "deployment.apps/web configured")
        assert.strictEqual(yield* apply(first), "deployment.apps/web configured")
        const { api } = yield* parent
        assert.notProperty((yield* api.get(deploymentRef(namespace, "web"))).metadata.labels ?? {}, "tier")
      }),
    120_000
  )

  it.effect(
    "kubectl apply --server-side owns its fields, and a conflict is refused until it is forced",
    () =>
      Effect.gen(function* () {
        const { kubectl, manifest, namespace, refused } = yield* session
        const one = yield* manifest("one.json", configMap(namespace, "one", {}, { key: "a" }))
        const two = yield* manifest("two.json", configMap(namespace, "one", {}, { key: "b" }))
        const apply = ["apply", "--validate=false", "--server-side", "-f"]
        assert.strictEqual(yield* kubectl(...apply, one), "configmap/one serverside-applied")
        assert.include(yield* refused(...apply, two, "--field-manager=other"), 'conflict with "kubectl": .data.key')
        yield* kubectl(...apply, two, "--field-manager=other", "--force-conflicts")
        const { api } = yield* parent
        assert.deepStrictEqual((yield* api.get(configMapRef(namespace, "one")))["data"], { key: "b" })
      }),
    120_000
  )

  it.effect(
    "kubectl patch supports all three kinds of patch, and scale sets replicas",
    () =>
      Effect.gen(function* () {
        const { kubectl, namespace } = yield* session
        const { api } = yield* parent
        yield* api.create(deployment(namespace, "web"))
        const patch = (type: string, text: string) => kubectl("patch", "deploy", "web", `--type=${type}`, "-p", text)
        yield* patch("strategic", '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"busybox:2"}]}}}}')
        yield* patch("merge", '{"metadata":{"labels":{"a":"b"}}}')
        yield* patch("json", '[{"op":"add","path":"/spec/minReadySeconds","value":3}]')
        assert.strictEqual(yield* kubectl("scale", "deploy", "web", "--replicas=5"), "deployment.apps/web scaled")
        const patched = yield* api.get(deploymentRef(namespace, "web"))
        assert.strictEqual(at(patched, "spec", "replicas"), 5)
        assert.strictEqual(at(patched, "spec", "minReadySeconds"), 3)
        assert.deepStrictEqual(patched.metadata.labels, { a: "b" })
        assert.strictEqual(at(patched, "spec", "template", "spec", "containers", 0, "image"), "busybox:1")
        assert.strictEqual(at(patched, "spec", "template", "spec", "containers", 1, "image"), "busybox:2")
      }),
    120_000
  )

  it.effect(
    "kubectl get prints short and wide tables, and describe shows objects",
    () =>
      Effect.gen(function* () {
        const { kubectl, namespace } = yield* session
        const { api } = yield* parent
        yield* api.create(deployment(namespace, "web"))
        assert.match(yield* kubectl("get", "deploy"), /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +\d\/2 +/)
        const wide = yield* kubectl("get", "deploy", "-o", "wide")
        assert.match(wide, /CONTAINERS +IMAGES +SELECTOR\nweb .* main,side +busybox:1,busybox:1 +app=web/)
        const described = yield* kubectl("describe", "deploy", "web")
        assert.match(described, /Replicas: +2 desired/)
        assert.match(described, /RollingUpdateStrategy: +25% max unavailable, 25% max surge/)
        assert.match(yield* kubectl("get", "namespaces"), new RegExp(`\n${namespace} +Active +`))
      }),
    120_000
  )

  it.effect(
    "kubectl get -w shows rows as they change",
    () =>
      Effect.gen(function* () {
        const { follow, namespace } = yield* session
        const { api } = yield* parent
        yield* api.create(configMap(namespace, "one", {}, { a: "1" }))
        // Of one object asked for by name, kubectl drops the first event of its watch, which may be the change itself.
        const next = yield* follow("get", "configmaps", "--field-selector", "metadata.name=one", "-w")
        assert.match(yield* next, /^NAME +DATA +AGE/)
        assert.match(yield* next, /^one +1 +/)
        yield* api.patch(configMapRef(namespace, "one"), { data: { b: "2" } })
        assert.match(yield* next, /^one +2 +/)
      }),
    120_000
  )

  it.effect(
    "kubectl delete returns once the object is gone, and wait sees it go",
    () =>
      Effect.gen(function* () {
        const { kubectl, namespace, refused } = yield* session
        const { api } = yield* parent
        yield* api.create({
          ...configMap(namespace, "held"),
          metadata: { name: "held", namespace, finalizers: ["example.com/hold"] }
        })
        yield* kubectl("delete", "configmap", "held", "--wait=false")
        const [waited] = yield* Effect.all(
          [
            kubectl("wait", "--for=delete", "configmap/held", "--timeout=30s"),
            api.patch(configMapRef(namespace, "held"), { metadata: { finalizers: null } })
          ],
          { concurrency: 2 }
        )
        assert.include(["configmap/held condition met", ""], waited)
        assert.include(yield* refused("get", "configmap", "held"), "NotFound")
      }),
    120_000
  )

  it.effect(
    "kubectl creates objects from flags, and labels, annotates and changes images of existing ones",
    () =>
      Effect.gen(function* () {
        const { kubectl, namespace } = yield* session
        const { api } = yield* parent
        assert.include(yield* kubectl("create", "configmap", "made", "--from-literal=a=b"), "created")
        assert.include(yield* kubectl("label", "configmap", "made", "team=a"), "labeled")
        assert.include(yield* kubectl("annotate", "configmap", "made", "note=b"), "annotated")
        const made = yield* api.get(configMapRef(namespace, "made"))
        assert.deepStrictEqual([made.metadata.labels, made["data"]], [{ team: "a" }, { a: "b" }])
        yield* api.create(deployment(namespace, "web"))
        assert.include(yield* kubectl("set", "image", "deploy/web", "main=busybox:9"), "image updated")
        assert.include(yield* kubectl("get", "deploy", "web", "-o", "jsonpath={..image}"), "busybox:9")
      }),
    120_000
  )

  it.effect(
    "kubectl shows the server's messages for refusals",
    () =>
      Effect.gen(function* () {
        const { manifest, namespace, refused } = yield* session
        const { api } = yield* parent
        yield* api.create(pod(namespace, "solo"))
        const again = yield* manifest("again.json", pod(namespace, "solo"))
        assert.include(yield* refused("create", "--validate=false", "-f", again), 'pods "solo" already exists')
        assert.include(yield* refused("get", "pods", "-l", "a in (b"), "(BadRequest)")
        assert.include(yield* refused("get", "gadgets"), 'the server doesn\'t have a resource type "gadgets"')
      }),
    120_000
  )
}
