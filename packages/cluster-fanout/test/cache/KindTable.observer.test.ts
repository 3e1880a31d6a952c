import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ClusterError, ClusterForbids } from "../../src/kube/ClusterError.ts"
import { ClusterStore } from "../../src/cache/ClusterStore.ts"
import { KindTable, type Observer } from "../../src/cache/KindTable.ts"
import { clusterOf } from "../fixture/FakeFleet.ts"

interface Thing {
  readonly uid: string
  readonly value: number
}

const put = (uid: string, value = 0) => ({ _tag: "Put", record: { uid, value } }) as const
const gone = (uid: string) => ({ _tag: "Delete", uid }) as const
const restart = { _tag: "Restart" } as const
const synced = { _tag: "Synced" } as const
const forbidden = new ClusterError({
  cluster: ClusterName.make("a"),
  reason: new ClusterForbids({ verb: "list", resource: "things" })
})

/** Writes down what it hears. */
const listen = () => {
  const heard: Array<string> = []
  const observer: Observer<Thing> = {
    put: ({ uid, value }) => heard.push(`put ${uid} ${value}`),
    gone: ({ uid, value }) => heard.push(`gone ${uid} ${value}`),
    whole: (records) => heard.push(`whole ${[...records.keys()].join(" ")}`)
  }
  return { heard, observer }
}

describe("an observer of a kind", () => {
  it("hears of the whole once it is there, then of every change and of what was deleted", () => {
    const table = new KindTable<Thing>()
    const { heard, observer } = listen()
    table.observe(observer)
    table.apply([put("a", 1), put("b", 2)], 0)
    assert.deepStrictEqual(heard, [])
    table.apply([synced, put("a", 3), gone("b"), gone("unknown"), put("c", 4), gone("c")], 0)
    assert.deepStrictEqual(heard, ["whole a b", "put a 3", "gone b 2", "put c 4", "gone c 4"])
  })

  it("hears of what another one failed at", () => {
    const table = new KindTable<Thing>()
    const { heard, observer } = listen()
    table.apply([synced], 0)
    const fail = () => {
      throw new RangeError("planted")
    }
    table.observe({ put: fail, gone: fail, whole: () => {} })
    table.observe(observer)
    assert.throws(() => table.apply([put("a", 1)], 0), "planted")
    assert.throws(() => table.apply([gone("a")], 0), "planted")
    assert.deepStrictEqual(heard, ["whole ", "put a 1", "gone a 1"])
  })

  it("that comes later hears of what is there first", () => {
    const table = new KindTable<Thing>()
    table.apply([put("a"), synced], 0)
    const { heard, observer } = listen()
    const end = table.observe(observer)
    table.apply([put("b")], 0)
    end()
    table.apply([put("c")], 0)
    assert.deepStrictEqual(heard, ["whole a", "put b 0"])
  })

  it("hears of a new state when it is whole, and that nothing is left when the kind may not be read any more", () => {
    const table = new KindTable<Thing>()
    const { heard, observer } = listen()
    table.observe(observer)
    table.apply([put("a"), synced], 0)
    table.apply([restart, put("b"), put("c")], 0)
    assert.deepStrictEqual(heard, ["whole a"])
    table.apply([synced], 0)
    table.miss(forbidden)
    assert.deepStrictEqual(heard, ["whole a", "whole b c", "whole "])
  })

  it.effect("of a cluster hears until its scope ends", () =>
    Effect.gen(function* () {
      const store = new ClusterStore(clusterOf("a"))
      const { heard, observer } = listen()
      const node = (uid: string) => ({ uid, value: 0 })
      const listening = store.observe("Node", {
        put: ({ uid }) => observer.put(node(uid), undefined),
        gone: ({ uid }) => observer.gone(node(uid)),
        whole: (records) => observer.whole(new Map([...records.keys()].map((uid) => [uid, node(uid)])))
      })
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* listening
          store.apply("Node", [synced], 0)
        })
      )
      store.apply("Node", [restart, synced], 0)
      assert.deepStrictEqual(heard, ["whole "])
    })
  )
})
