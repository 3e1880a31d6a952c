import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { pods } from "../../src/core/Resources.ts"
import { type Change, Store } from "../../src/core/Store.ts"
import type { Stored } from "../../src/core/Stored.ts"

const Step = Schema.Struct({
  namespace: Schema.Literals(["a", "a-b", "b"]),
  name: Schema.Literals(["x", "y", "z.w", "z-w"]),
  remove: Schema.Boolean
})
const Steps = Schema.Array(Step)

const act = (store: Store, { name, namespace, remove }: typeof Step.Type): void => {
  const known = store.get(pods, `${namespace}/${name}`)
  if (known !== undefined && remove) store.remove(pods, known)
  else store.write(pods, { metadata: { name, namespace, uid: `${namespace}/${name}` } })
}

const shown = (list: ReadonlyArray<Stored>) => list.map((stored) => `${stored.key}@${stored.revision}`)

describe("Store", () => {
  it.prop("lists the objects of every version in its history", [Steps], ([steps]) => {
    const store = new Store(1_000)
    const seen = new Map([[store.revision, shown(store.list(pods, ""))]])
    for (const step of steps) {
      act(store, step)
      seen.set(store.revision, shown(store.list(pods, "")))
    }
    for (const [revision, expected] of seen) assert.deepStrictEqual(shown(store.list(pods, "", "", revision)), expected)
  })

  it.prop("lists namespaces and names in byte order", [Steps], ([steps]) => {
    const store = new Store(10)
    for (const step of steps) act(store, step)
    const keys = store.list(pods, "").map((stored) => stored.key)
    assert.deepStrictEqual(keys, keys.toSorted())
    assert.deepStrictEqual(
      store.list(pods, "a").map((stored) => stored.key),
      keys.filter((key) => key.startsWith("a/"))
    )
  })

  it.prop("notifies of each change once, in order, and can replay it", [Steps], ([steps]) => {
    const store = new Store(1_000)
    const from = store.revision
    const changes: Array<Change> = []
    store.subscribe(pods, (change) => changes.push(change))
    for (const step of steps) act(store, step)
    assert.deepStrictEqual(store.changesSince(pods, from), changes)
    assert.deepStrictEqual(
      changes.map((change) => change.revision),
      steps.map((_, index) => from + index + 1)
    )
  })

  it.prop("compacts changes beyond its history capacity", [Steps], ([steps]) => {
    const store = new Store(3)
    const from = store.revision
    for (const step of steps) act(store, step)
    assert.strictEqual(store.compacted, steps.length > 3 ? store.revision - 3 : 0)
    assert.strictEqual(
      store.changesSince(pods, store.compacted === 0 ? from : store.compacted).length,
      Math.min(3, steps.length)
    )
  })

  it("returns a removed object under the revision of its removal", () => {
    const store = new Store(10)
    const made = store.write(pods, { metadata: { name: "p", namespace: "n", uid: "u", labels: { app: "web" } } })
    const last = store.remove(pods, made)
    assert.strictEqual(last.revision, made.revision + 1)
    assert.include(last.body, `"resourceVersion":"${last.revision}"`)
    assert.include(last.body, '"app":"web"')
  })
})
