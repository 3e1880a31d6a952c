import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { Heap } from "../../src/cache/Heap.ts"
import { KindTable } from "../../src/cache/KindTable.ts"

interface Row {
  readonly uid: string
  readonly at: string
}

const Does = Schema.Literals(["put", "put", "put", "delete", "relist"])
const Step = Schema.Struct({
  does: Does,
  which: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 40 })),
  at: Schema.Natural
})
const MOST = 7

const newestOf = (rows: ReadonlyMap<string, Row>) => [...rows.values()].map(({ at }) => at).toSorted()

describe("a bounded table", () => {
  it.prop(
    "holds as many as it may, none older than one that went for it, and tells of each that goes",
    [Schema.Array(Step)],
    ([steps]) => {
      const table = new KindTable<Row>(undefined, { max: MOST, ageOf: ({ at }) => at })
      const told = new Map<string, Row>()
      table.observe({
        put: (row) => told.set(row.uid, row),
        gone: ({ uid }) => told.delete(uid),
        whole: (rows) => {
          told.clear()
          for (const [uid, row] of rows) told.set(uid, row)
        }
      })
      table.apply([{ _tag: "Synced" }], 0)
      for (const { at, does, which } of steps) {
        const record = { uid: `row-${which}`, at: String(at).padStart(10, "0") }
        const before = new Map(table.records)
        if (does === "delete") table.apply([{ _tag: "Delete", uid: record.uid }], 0)
        else if (does === "relist") {
          const all = [...before.values(), record].map((each) => ({ _tag: "Put" as const, record: each }))
          table.apply([{ _tag: "Restart" }, ...all, { _tag: "Synced" }], 0)
        } else table.apply([{ _tag: "Put", record }], 0)

        assert.isAtMost(table.records.size, MOST)
        assert.deepStrictEqual(new Map(told), new Map(table.records))
        if (does === "delete") continue
        const candidates = new Map(before).set(record.uid, record)
        assert.deepStrictEqual(newestOf(table.records), newestOf(candidates).slice(-MOST))
      }
    }
  )

  it("holds no more of what is put again and again than twice its bound", () => {
    const table = new KindTable<Row>(undefined, { max: 2, ageOf: ({ at }) => at })
    table.apply([{ _tag: "Synced" }], 0)
    for (let at = 0; at < 1_000; at++) {
      table.apply([{ _tag: "Put", record: { uid: `row-${at % 2}`, at: String(at).padStart(6, "0") } }], 0)
    }
    table.apply([{ _tag: "Put", record: { uid: "new", at: "001000" } }], 0)
    assert.deepStrictEqual([...table.records.keys()].toSorted(), ["new", "row-1"])
  })
})

describe("Heap", () => {
  it.prop(
    "gives all in order, whatever is pushed and taken between",
    [Schema.Array(Schema.Int), Schema.Array(Schema.Int)],
    ([begun, pushed]) => {
      const heap = new Heap([...begun], (one, other) => one - other)
      const held = [...begun]
      for (const one of pushed) {
        heap.push(one)
        held.push(one)
        held.sort((left, right) => left - right)
        assert.strictEqual(heap.first, held[0])
        if (one % 3 === 0) {
          heap.drop()
          held.shift()
        }
        assert.strictEqual(heap.size, held.length)
      }
      const drained: Array<number> = []
      for (let first = heap.first; first !== undefined; first = heap.first) {
        drained.push(first)
        heap.drop()
      }
      assert.deepStrictEqual(
        drained,
        held.toSorted((left, right) => left - right)
      )
    }
  )
})
