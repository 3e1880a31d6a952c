import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { type Place, Roster } from "../../src/cache/Roster.ts"

/** Who comes, or at which place one leaves, if one is there. */
const Step = Schema.Union([
  Schema.Struct({ joins: Schema.String }),
  Schema.Struct({ leaves: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })) })
])

describe("Roster", () => {
  it.prop("holds who came and has not left, in the order in which they came", [Schema.Array(Step)], ([steps]) => {
    const roster = new Roster<string>()
    let model: ReadonlyArray<readonly [string, Place<string>]> = []
    for (const step of steps) {
      if ("joins" in step) model = model.concat([[step.joins, roster.join(step.joins)]])
      else {
        model[step.leaves]?.[1].leave()
        model[step.leaves]?.[1].leave()
        model = model.toSpliced(step.leaves, 1)
      }
      assert.deepStrictEqual(
        roster.members(),
        model.map(([member]) => member)
      )
      assert.strictEqual(roster.size, model.length)
      assert.strictEqual(roster.first, model[0]?.[0])
    }
  })

  it("leads nowhere from a place that was left", () => {
    const roster = new Roster<string>()
    const [one, two] = [roster.join("one"), roster.join("two")]
    one.leave()
    assert.deepStrictEqual([one.value, one.before, one.after], [undefined, undefined, undefined])
    assert.strictEqual(two.value, "two")
  })
})
