import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { at, type JsonObject, textAt } from "../../src/core/Json.ts"
import { type Client, configMap, namesOf, patching, pod, started } from "../Client.ts"
import { BATCH, cluster, NAMESPACE, PODS, watching } from "./Machine.ts"

const MAPS = `${NAMESPACE}/configmaps`

const owned = (name: string, uid: string, more: JsonObject = {}, owner: JsonObject = {}): JsonObject => ({
  metadata: { name, ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid, ...owner }], ...more }
})

const made = (client: Pick<Client, "call">, body: JsonObject, path = MAPS) =>
  Effect.map(client.call("POST", path, { body }), ({ json }) => textAt(json, "metadata", "uid"))

const names = (maps: ReadonlyArray<Parameters<typeof textAt>[0]>): ReadonlyArray<string> =>
  maps.map((map) => textAt(map, "metadata", "name")).filter((name) => name !== "kube-root-ca.crt")

describe("an object whose owner is gone", () => {
  it.live("is deleted if its owner was deleted, never existed, or is in another namespace", () =>
    Effect.gen(function* () {
      const machine = yield* cluster({ nodes: 0, kubelet: false })
      const { call, untilItems } = machine
      yield* call("POST", "/api/v1/namespaces", { body: { metadata: { name: "shop" } } })
      const elsewhere = yield* made(machine, configMap("owner"), "/api/v1/namespaces/shop/configmaps")
      const owner = yield* made(machine, configMap("owner"))
      yield* made(machine, owned("child", owner))
      yield* made(
        machine,
        owned("both", owner, {
          ownerReferences: [
            { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: owner },
            { apiVersion: "v1", kind: "ConfigMap", name: "lost", uid: "00000000-0000-4000-8000-000000000000" }
          ]
        })
      )
      yield* made(machine, owned("stray", "00000000-0000-4000-8000-000000000000"))
      yield* made(machine, owned("abroad", elsewhere))
      yield* untilItems("only what has an owner is left", MAPS, (maps) => names(maps).join() === "both,child,owner")
      const both = yield* machine.until(
        "the lost owner is off the list",
        `${MAPS}/both`,
        (one) => JSON.stringify(at(one, "metadata", "ownerReferences")).split('"uid"').length === 2
      )
      assert.isDefined(both)
      yield* call("DELETE", `${MAPS}/owner`)
      yield* untilItems("its dependents went", MAPS, (maps) => names(maps).length === 0)
    })
  )

  it.live("blocks the foreground deletion of its owner only if it asks for that", () =>
    Effect.gen(function* () {
      const machine = yield* cluster({ nodes: 0, kubelet: false })
      const { call, until, untilItems } = machine
      const owner = yield* made(machine, configMap("owner"))
      const held = { finalizers: ["a.b/c"] }
      yield* made(machine, owned("blocks", owner, held, { blockOwnerDeletion: true }))
      yield* made(machine, owned("does-not", owner, held))
      yield* made(machine, owned("free", owner, {}, { blockOwnerDeletion: true }))
      const ending = yield* call("DELETE", `${MAPS}/owner`, { body: { propagationPolicy: "Foreground" } })
      assert.deepStrictEqual(at(ending.json, "metadata", "finalizers"), ["foregroundDeletion"])
      yield* untilItems("the free one went", MAPS, (maps) => names(maps).join() === "blocks,does-not,owner")
      for (const name of ["blocks", "does-not"])
        yield* until(`${name} ends`, `${MAPS}/${name}`, (one) => at(one, "metadata", "deletionTimestamp") !== undefined)
      yield* call("PATCH", `${MAPS}/blocks`, patching({ metadata: { finalizers: null } }))
      yield* untilItems("the owner went", MAPS, (maps) => names(maps).join() === "does-not")
    })
  )

  it.live("stays if it was orphaned, even if another finalizer keeps the owner", () =>
    Effect.gen(function* () {
      for (const controllers of [false, true]) {
        const machine = yield* started({ controllers })
        const { call } = machine
        const owner = yield* made(machine, { metadata: { name: "owner", finalizers: ["a.b/c"] } })
        yield* made(machine, owned("child", owner))
        yield* call("DELETE", `${MAPS}/owner`, { body: { propagationPolicy: "Orphan" } })
        yield* call("PATCH", `${MAPS}/owner`, {
          body: JSON.stringify([{ op: "remove", path: "/metadata/finalizers/0" }]),
          type: "application/json-patch+json"
        })
        yield* watching(machine).until(
          "the child is free",
          `${MAPS}/child`,
          (one) => at(one, "metadata", "ownerReferences") === undefined
        )
        assert.include(namesOf((yield* call("GET", MAPS)).json), "child")
      }
    })
  )

  it.live("a job orphans its pods by default, like the real server", () =>
    Effect.gen(function* () {
      const { call, untilItems } = yield* cluster({ kubelet: false })
      const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "i" }] } }
      yield* call("POST", `${BATCH}/jobs`, { body: { metadata: { name: "once" }, spec: { template } } })
      yield* untilItems("it has a pod", PODS, (pods) => pods.length === 1)
      yield* call("DELETE", `${BATCH}/jobs/once`)
      yield* untilItems("it is gone", `${BATCH}/jobs`, (jobs) => jobs.length === 0)
      yield* untilItems(
        "its pod is free",
        PODS,
        (pods) =>
          pods.length === 1
          && at(pods[0], "metadata", "ownerReferences") === undefined
          && at(pods[0], "metadata", "finalizers") === undefined
      )
    })
  )

  it.live("pods on a node wait for their kubelet, even if their namespace is deleted", () =>
    Effect.gen(function* () {
      const { call, until } = yield* cluster({ kubelet: false })
      yield* call("POST", "/api/v1/namespaces", { body: { metadata: { name: "shop" } } })
      const pods = "/api/v1/namespaces/shop/pods"
      yield* call("POST", pods, { body: pod("bound") })
      yield* until("it is bound", `${pods}/bound`, (one) => textAt(one, "spec", "nodeName") !== "")
      yield* call("DELETE", "/api/v1/namespaces/shop")
      yield* until(
        "it is marked for deletion",
        `${pods}/bound`,
        (one) => at(one, "metadata", "deletionTimestamp") !== undefined
      )
      assert.strictEqual((yield* call("GET", "/api/v1/namespaces/shop")).status, 200)
      yield* call("DELETE", `${pods}/bound?gracePeriodSeconds=0`)
      yield* until("the namespace is gone", "/api/v1/namespaces/shop", (one) => at(one, "code") === 404)
    })
  )
})
