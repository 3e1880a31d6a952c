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
  value: Schema.Literals(["old", "new", "another"])
})
const Store = Schema.Array(Entry)

const storeOf = (entries: typeof Store.Type) =>
  new Map(
    entries.map(({ name, place, value }) => {
      const key = `/registry/${place}/${name}`
      return [
        key,
        { key, value, revision: value === "old" ? "1" : "2", created: value === "another" ? "2" : "1" }
      ] as const
    })
  )

describe("the way back to what a store held", () => {
  it.prop("ends where it began, for everything that is kept", [Store, Store], ([before, after]) => {
    const captured = storeOf(before.map((entry) => ({ ...entry, value: "old" as const })))
    const present = storeOf(after)
    const steps = plan(captured, [...present.values()], new Set())
    const store = new Map<string, { readonly created: string; readonly value: string }>(present)
    for (const { key, over, value } of steps.flat(2)) {
      const there = store.get(key)?.created ?? "0"
      if (value === undefined) store.delete(key)
      else if (there === over) store.set(key, { created: there === "0" ? "3" : there, value })
    }
    for (const key of new Set([...captured.keys(), ...present.keys()])) {
      switch (treatmentOf(key)) {
        case "kept":
          assert.strictEqual(store.get(key)?.value, captured.get(key)?.value)
          break
        case "renewed":
          assert.strictEqual(store.has(key), captured.has(key))
          if (captured.has(key)) assert.strictEqual(store.get(key)?.value, present.get(key)?.value ?? "old")
          break
        case "passing":
          assert.strictEqual(store.get(key)?.value, captured.has(key) ? present.get(key)?.value : undefined)
          break
        case "server":
          assert.strictEqual(store.get(key)?.value, present.get(key)?.value)
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

  it("lets what stands in an object's place go first, in a step of its own, unless it frames others", () => {
    const captured = storeOf(PLACES.map((place) => ({ place, name: "one", value: "old" })))
    const present = storeOf(PLACES.map((place) => ({ place, name: "one", value: "another" })))
    const steps = plan(captured, [...present.values()], new Set())
    const at = (key: string, isWrite: boolean) =>
      steps.findIndex((step) => step.flat().some((one) => one.key === key && (one.value !== undefined) === isWrite))
    for (const key of ["pods/a", "shop.example.com/widgets/a"].map((place) => `/registry/${place}/one`)) {
      assert.isAtLeast(at(key, false), 0)
      assert.isAbove(at(key, true), at(key, false))
    }
    assert.strictEqual(at("/registry/namespaces/one", false), -1)
    const changed = storeOf(PLACES.map((place) => ({ place, name: "one", value: "new" })))
    const removals = plan(captured, [...changed.values()], new Set())
      .flat(2)
      .filter(({ value }) => value === undefined)
    assert.isEmpty(removals)
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
    ].map((key) => ({ key: `/registry/${key}`, value: "", revision: "1", created: "1" }))
    const removed = plan(new Map(), present, new Set())
      .flat(2)
      .map(({ key }) => key.slice(key.lastIndexOf("/") + 1))
    assert.deepStrictEqual(removed, ["v1.metrics.k8s.io", "widgets.example.com"])
  })
})
