import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { OPERATIONS } from "../../src/internal/EtcdClient.ts"
import { resourceOf, treatmentOf } from "../../src/internal/EtcdKeys.ts"
import { plan } from "../../src/internal/EtcdState.ts"

const PLACES = [
  "pods/a",
  "configmaps/a",
  "services/specs/a",
  "services/endpoints/a",
  "events/a",
  "leases/kube-node-lease",
  "leases/kube-system/apiserver-x",
  "masterleases",
  "namespaces",
  "apiextensions.k8s.io/customresourcedefinitions",
  "shop.example.com/widgets/a"
] as const

const Entry = Schema.Struct({
  place: Schema.Literals(PLACES),
  name: Schema.Literals(["one", "two", "three", "four"]),
  value: Schema.Literals(["old", "new"])
})
const Store = Schema.Array(Entry)

const storeOf = (entries: typeof Store.Type) =>
  new Map(
    entries.map(({ name, place, value }) => {
      const key = `/registry/${place}/${name}`
      return [key, { key, value, revision: value === "old" ? "1" : "2" }] as const
    })
  )

describe("the way back to what a store held", () => {
  it.prop("ends where it began, for everything that is kept", [Store, Store], ([before, after]) => {
    const captured = storeOf(before.map((entry) => ({ ...entry, value: "old" as const })))
    const present = storeOf(after)
    const steps = plan(captured, [...present.values()], new Set())
    const store = new Map<string, string>([...present].map(([key, { value }]) => [key, value] as const))
    for (const { key, value } of steps.flat(2)) {
      if (value === undefined) store.delete(key)
      else store.set(key, value)
    }
    for (const key of new Set([...captured.keys(), ...present.keys()])) {
      switch (treatmentOf(key)) {
        case "kept":
          assert.strictEqual(store.get(key), captured.get(key)?.value)
          break
        case "renewed":
          assert.strictEqual(store.has(key), captured.has(key))
          if (captured.has(key)) assert.strictEqual(store.get(key), present.get(key)?.value ?? "old")
          break
        case "passing":
          assert.strictEqual(store.get(key), captured.has(key) ? present.get(key)?.value : undefined)
          break
        case "server":
          assert.strictEqual(store.get(key), present.get(key)?.value)
      }
    }
  })

  it.prop("gives every object of a resource a revision of its own", [Store, Store], ([before, after]) => {
    const steps = plan(storeOf(before), [...storeOf(after).values()], new Set())
    for (const round of steps.flat()) {
      assert.isAtMost(round.length, OPERATIONS)
      assert.strictEqual(new Set(round.map(({ key }) => resourceOf(key))).size, round.length)
    }
  })

  it("writes nothing when nothing has changed", () => {
    const store = storeOf(PLACES.map((place) => ({ place, name: "one", value: "old" })))
    assert.isEmpty(plan(store, [...store.values()], new Set()))
  })

  it("leaves API services to the server whose group goes with its last definition", () => {
    const present = [
      "apiextensions.k8s.io/customresourcedefinitions/widgets.example.com",
      "apiregistration.k8s.io/apiservices/v1.example.com",
      "apiregistration.k8s.io/apiservices/v1.metrics.k8s.io"
    ].map((key) => ({ key: `/registry/${key}`, value: "", revision: "1" }))
    const removed = plan(new Map(), present, new Set())
      .flat(2)
      .map(({ key }) => key.slice(key.lastIndexOf("/") + 1))
    assert.deepStrictEqual(removed, ["v1.metrics.k8s.io", "widgets.example.com"])
  })
})
