import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { at, textAt } from "../../src/core/Json.ts"
import { type Answer, configMap, namesOf, patching, pod, started } from "../Client.ts"

const PODS = "/api/v1/namespaces/default/pods"
const MAPS = "/api/v1/namespaces/default/configmaps"

const refusal = ({ json, status }: Answer) => [status, json["reason"], json["message"]]

describe("deleting", () => {
  it.effect("an unbound pod is removed at once, a bound pod waits for its kubelet", () =>
    Effect.gen(function* () {
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
    })
  )

  it.effect("a finalizer delays the removal until it is removed, and no other can be added", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      yield* call("POST", MAPS, { body: { metadata: { name: "c", finalizers: ["a.b/c"] } } })
      yield* call("DELETE", `${MAPS}/c`)
      const added = yield* call("PATCH", `${MAPS}/c`, patching({ metadata: { finalizers: ["a.b/c", "x.y/z"] } }))
      assert.strictEqual(added.status, 422)
      yield* call("PATCH", `${MAPS}/c`, patching({ metadata: { finalizers: null } }))
      assert.strictEqual((yield* call("GET", `${MAPS}/c`)).status, 404)
    })
  )

  it.effect("a namespace is deleted with its contents, and waits for their finalizers", () =>
    Effect.gen(function* () {
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
        'configmaps "new" is forbidden: unable to create new content in namespace shop because it is being terminated'
      ])
      yield* call("PATCH", `${maps}/held`, patching({ metadata: { finalizers: null } }))
      assert.strictEqual((yield* call("GET", "/api/v1/namespaces/shop")).status, 404)
    })
  )

  it.effect("dependents are deleted after or before their owner, or stay when orphaned", () =>
    Effect.gen(function* () {
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
    })
  )

  it.effect("409 if a precondition fails, 403 for a protected namespace", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      yield* call("POST", MAPS, { body: configMap("c") })
      assert.strictEqual(
        (yield* call("DELETE", `${MAPS}/c`, { body: { preconditions: { uid: "other" } } })).status,
        409
      )
      assert.strictEqual((yield* call("DELETE", "/api/v1/namespaces/default")).status, 403)
    })
  )

  it.effect("deletes a collection by selector, and lists the deleted objects in the reply", () =>
    Effect.gen(function* () {
      const { call } = yield* started()
      yield* Effect.forEach(["a", "b", "c"], (name) =>
        call("POST", MAPS, { body: configMap(name, { keep: String(name === "b") }) })
      )
      const gone = yield* call("DELETE", `${MAPS}?labelSelector=keep%3Dfalse`)
      assert.deepStrictEqual(namesOf(gone.json), ["a", "c"])
      assert.deepStrictEqual(namesOf((yield* call("GET", MAPS)).json), ["b"])
    })
  )
})
