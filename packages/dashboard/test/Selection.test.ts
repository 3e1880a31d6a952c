import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { allOf, NONE, type Selection, toggled } from "../src/actions/Selection.ts"

const ORDER = ["a", "b", "c", "d", "e", "f"]
const Steps = Schema.Array(Schema.Struct({ id: Schema.Literals(ORDER), isRange: Schema.Boolean }))
type Steps = typeof Steps.Type

const after = (steps: Steps, from: Selection = NONE): Selection =>
  steps.reduce((selection, step) => toggled(selection, ORDER, step), from)

const chosenOf = ({ ids }: Selection) => ORDER.filter((id) => ids.has(id))

describe("the rows that are selected", () => {
  it.prop("a click alone changes its row and no other", [Steps, Schema.Literals(ORDER)], ([steps, id]) => {
    const before = after(steps)
    const now = toggled(before, ORDER, { id, isRange: false })
    for (const one of ORDER) assert.strictEqual(now.ids.has(one), before.ids.has(one) !== (one === id))
  })

  it.prop(
    "a click with Shift makes each row from the last one on what it makes its own, and no other",
    [Steps, Schema.Literals(ORDER), Schema.Literals(ORDER)],
    ([steps, from, to]) => {
      const before = toggled(after(steps), ORDER, { id: from, isRange: false })
      const now = toggled(before, ORDER, { id: to, isRange: true })
      const [start = 0, end = 0] = [ORDER.indexOf(from), ORDER.indexOf(to)].toSorted((a, b) => a - b)
      for (const [place, id] of ORDER.entries()) {
        const isWithin = place >= start && place <= end
        assert.strictEqual(now.ids.has(id), isWithin ? !before.ids.has(to) : before.ids.has(id))
      }
    }
  )

  it.prop("all that are shown are selected or none, whatever was; what is not shown stays", [Steps], ([steps]) => {
    const before = toggled(after(steps), ORDER, { id: "elsewhere", isRange: false })
    assert.deepStrictEqual(chosenOf(allOf(before, ORDER, true)), ORDER)
    assert.deepStrictEqual(chosenOf(allOf(before, ORDER, false)), [])
    assert.isTrue(allOf(before, ORDER, false).ids.has("elsewhere"))
  })

  it("a range from a row that is gone is the clicked row alone", () => {
    const before = toggled(NONE, ["gone", ...ORDER], { id: "gone", isRange: false })
    assert.deepStrictEqual(chosenOf(toggled(before, ORDER, { id: "c", isRange: true })), ["c"])
  })
})
