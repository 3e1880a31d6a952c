import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { ClusterError, ClusterForbids, ClusterUnreachable } from "../../src/kube/ClusterError.ts"
import { isLaterVersion, KindTable } from "../../src/cache/KindTable.ts"
import type { Change } from "../../src/projection/Projection.ts"

interface Thing {
  readonly uid: string
  readonly version: number
}

const cluster = ClusterName.make("c1")
const broken = new ClusterError({ cluster, reason: new ClusterUnreachable({ code: "ECONNRESET" }) })
const forbidden = new ClusterError({ cluster, reason: new ClusterForbids({ verb: "list", resource: "things" }) })
const put = (uid: string, version = 1): Change<Thing> => ({ _tag: "Put", record: { uid, version } })
const gone = (uid: string): Change<Thing> => ({ _tag: "Delete", uid })
const synced: Change<Thing> = { _tag: "Synced" }
const restart: Change<Thing> = { _tag: "Restart" }
const bookmark: Change<Thing> = { _tag: "Bookmark" }
const resumed: Change<Thing> = { _tag: "Resumed" }

const shown = (table: KindTable<Thing>) =>
  [...table.records.values()].map(({ uid, version }) => `${uid}${version}`).toSorted()
const make = () => new KindTable<Thing>((next, held) => next.version > held.version)
const full = () => {
  const table = make()
  table.apply([put("a"), put("b"), synced], 100)
  return table
}

const Name = Schema.Literals(["a", "b", "c", "d"])
const Event = Schema.Struct({ remove: Schema.Boolean, uid: Name })
const toChange = ({ remove, uid }: typeof Event.Type, version: number): Change<Thing> =>
  remove ? gone(uid) : put(uid, version)
const replay = (events: ReadonlyArray<Change<Thing>>) => {
  const state = new Map<string, Thing>()
  for (const event of events) {
    if (event._tag === "Put") state.set(event.record.uid, event.record)
    if (event._tag === "Delete") state.delete(event.uid)
  }
  return state
}

describe("KindTable", () => {
  it("shows nothing of an initial state before it is whole", () => {
    const table = make()
    assert.isFalse(table.apply([put("a")], 100))
    assert.deepStrictEqual(shown(table), [])
    assert.isUndefined(table.provenAt)
    assert.isTrue(table.apply([put("b"), synced], 200))
    assert.deepStrictEqual(shown(table), ["a1", "b1"])
    assert.strictEqual(table.provenAt, 100, "all of it is of the moment of its first page")
  })

  it("shows what a watch tells that goes on after an interruption, and counts it as proof once that was all", () => {
    const table = full()
    table.interrupt(broken)
    assert.deepStrictEqual(table.sync, { _tag: "Synced", live: false, error: broken })
    assert.isFalse(table.apply([gone("b"), put("c"), bookmark], 200))
    assert.deepStrictEqual(shown(table), ["a1", "c1"])
    assert.strictEqual(table.provenAt, 100)
    assert.isFalse(table.apply([put("a", 2), resumed], 300))
    assert.deepStrictEqual(shown(table), ["a2", "c1"])
    assert.deepStrictEqual([table.sync, table.provenAt], [{ _tag: "Synced", live: true, error: undefined }, 300])
  })

  it("has nothing to go on from where nothing was whole, and begins anew where a watch does not go on", () => {
    const fresh = make()
    fresh.apply([put("a")], 100)
    fresh.interrupt(broken)
    fresh.apply([put("b"), resumed], 200)
    assert.deepStrictEqual([shown(fresh), fresh.sync], [[], { _tag: "Pending", error: broken }])
    const table = full()
    table.interrupt(broken)
    table.begin()
    table.apply([put("c"), resumed], 200)
    assert.deepStrictEqual([shown(table), table.provenAt], [["a1", "b1"], 100])
    table.apply([synced], 300)
    assert.deepStrictEqual([shown(table), table.provenAt], [["c1"], 200])
  })

  it.prop(
    "holds the same with interruptions as without",
    [Schema.Array(Schema.Struct({ ...Event.fields, isInterrupted: Schema.Boolean }))],
    ([events]) => {
      const table = full()
      const changes = events.map((event, index) => toChange(event, index + 2))
      for (const [index, change] of changes.entries()) {
        if (events[index]?.isInterrupted === true) table.interrupt(broken)
        table.apply([change], index)
      }
      table.apply([resumed], 1_000)
      assert.deepStrictEqual(
        shown(table),
        [...replay([put("a"), put("b"), ...changes]).values()].map(({ uid, version }) => `${uid}${version}`).toSorted()
      )
      assert.deepInclude(table.sync, { live: true })
    }
  )

  it("applies events at once", () => {
    const table = full()
    table.apply([put("a", 2), gone("b"), put("c")], 200)
    assert.deepStrictEqual(shown(table), ["a2", "c1"])
  })

  it("keeps the old rows after a failure until the new ones are whole, then drops what is absent from them", () => {
    const table = full()
    table.fail(broken)
    assert.deepStrictEqual(table.sync, { _tag: "Synced", live: false, error: broken })
    table.apply([put("b", 5), put("c")], 300)
    assert.deepStrictEqual(shown(table), ["a1", "b1"])
    assert.strictEqual(table.provenAt, 100)
    table.apply([synced], 400)
    assert.deepStrictEqual(shown(table), ["b5", "c1"])
    assert.deepStrictEqual(table.sync, { _tag: "Synced", live: true, error: undefined })
  })

  it("does the same when history is lost", () => {
    const table = full()
    table.apply([restart, put("c")], 200)
    assert.deepStrictEqual(shown(table), ["a1", "b1"])
    assert.strictEqual(table.provenAt, 100)
    table.apply([synced], 300)
    assert.deepStrictEqual(shown(table), ["c1"])
  })

  it("counts the age of a list from its first page, not from when history was lost", () => {
    const table = full()
    table.apply([restart], 200)
    table.apply([put("c")], 500)
    table.apply([synced], 600)
    assert.strictEqual(table.provenAt, 500)
  })

  it("takes a bookmark for proof, but not of rows that are being replaced", () => {
    const table = full()
    table.apply([bookmark], 200)
    assert.strictEqual(table.provenAt, 200)
    table.apply([restart, bookmark], 300)
    assert.strictEqual(table.provenAt, 200)
  })

  it("remembers why it never synced", () => {
    const table = make()
    table.fail(broken)
    assert.deepStrictEqual(table.sync, { _tag: "Pending", error: broken })
  })

  it("shows no rows that the service may no longer read", () => {
    const table = full()
    table.miss(forbidden)
    assert.deepStrictEqual(shown(table), [])
    assert.deepStrictEqual(table.sync, { _tag: "Missing", error: forbidden })
  })

  it("lets a list correct what the watch did not tell", () => {
    const table = full()
    table.beginComparison()
    const listed = new Map([
      ["a", { uid: "a", version: 7 }],
      ["c", { uid: "c", version: 1 }]
    ])
    assert.strictEqual(table.endComparison(listed, 900), 3)
    assert.deepStrictEqual(shown(table), ["a7", "c1"])
    assert.strictEqual(table.provenAt, 900)
  })

  it("does not let a watch that lags behind undo a correction", () => {
    const table = full()
    table.beginComparison()
    table.endComparison(new Map([["a", { uid: "a", version: 7 }]]), 900)
    table.apply([put("a", 3)], 1000)
    assert.deepStrictEqual(shown(table), ["a7"])
  })

  it("keeps what events told while the list was on its way", () => {
    const table = full()
    table.beginComparison()
    table.apply([put("c"), gone("a"), put("b", 9)], 500)
    const stale = new Map([
      ["a", { uid: "a", version: 1 }],
      ["b", { uid: "b", version: 1 }]
    ])
    assert.strictEqual(table.endComparison(stale, 400), 0)
    assert.deepStrictEqual(shown(table), ["b9", "c1"])
  })

  it("lets a list correct also backwards: a server restored from a backup counts from before", () => {
    const table = make()
    table.apply([put("a", 9), put("b", 9), synced], 100)
    table.beginComparison()
    const listed = new Map([
      ["a", { uid: "a", version: 3 }],
      ["b", { uid: "b", version: 9 }]
    ])
    assert.strictEqual(table.endComparison(listed, 900), 1)
    assert.deepStrictEqual(shown(table), ["a3", "b9"])
  })

  it("drops a comparison that a new initial state overtook", () => {
    const table = full()
    table.beginComparison()
    table.apply([restart, put("z"), synced], 500)
    assert.isUndefined(table.endComparison(new Map(), 400))
    assert.deepStrictEqual(shown(table), ["z1"])
  })

  it.prop(
    "ends with what the server holds, whenever its watch broke",
    [Schema.Array(Schema.Array(Event)), Schema.Array(Event)],
    ([lives, last]) => {
      const table = make()
      let version = 0
      let state: Map<string, Thing> = new Map()
      for (const life of [...lives, last]) {
        const initial = [...state.values()].map((record): Change<Thing> => ({ _tag: "Put", record }))
        table.apply([restart, ...initial, synced], version)
        const changes = life.map((event) => toChange(event, ++version))
        table.apply(changes, version)
        state = replay([...initial, ...changes])
        assert.deepStrictEqual(
          shown(table),
          [...state.values()].map((thing) => `${thing.uid}${thing.version}`).toSorted()
        )
        // Changes while there is no watch.
        state.delete("a")
      }
    }
  )

  it.each([
    ["10", "9", true],
    ["9", "10", false],
    ["10", "10", false],
    ["2", "1", true],
    ["x", "y", true],
    ["x", "x", false]
  ])("version %s after %s: %s", (next, held, expected) => {
    assert.strictEqual(isLaterVersion(next, held), expected)
  })
})
