import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { KindTable } from "../../src/cache/KindTable.ts"
import { NodeTotals } from "../../src/cache/NodeTotals.ts"
import * as Quantity from "../../src/projection/Quantity.ts"

const Node = Schema.Struct({
  uid: Schema.Literals(["a", "b", "c", "d"]),
  cpuAllocatableMillis: Schema.Literals([0, 250, Number.MAX_SAFE_INTEGER]),
  memoryAllocatableBytes: Schema.Literals([0, 64, Number.MAX_SAFE_INTEGER])
})
type Node = typeof Node.Type

const Step = Schema.Struct({ does: Schema.Literals(["put", "delete", "restart", "synced"]), node: Node })

describe("NodeTotals", () => {
  it.prop("are those of all nodes that are shown, after any changes", [Schema.Array(Step)], ([steps]) => {
    const table = new KindTable<Node>()
    const totals = new NodeTotals()
    table.observe(totals)
    for (const { does, node } of steps) {
      if (does === "put") table.apply([{ _tag: "Put", record: node }], 0)
      if (does === "delete") table.apply([{ _tag: "Delete", uid: node.uid }], 0)
      if (does === "restart") table.apply([{ _tag: "Restart" }], 0)
      if (does === "synced") table.apply([{ _tag: "Synced" }], 0)
      const shown = [...table.records.values()]
      const sum = (read: (node: Node) => number) => shown.reduce((total, each) => Quantity.add(total, read(each)), 0)
      assert.deepStrictEqual(totals.capacity(), {
        nodes: shown.length,
        cpuAllocatableMillis: sum((each) => each.cpuAllocatableMillis),
        memoryAllocatableBytes: sum((each) => each.memoryAllocatableBytes)
      })
    }
  })
})
