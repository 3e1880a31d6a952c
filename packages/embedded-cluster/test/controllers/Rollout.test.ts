import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Rollout from "../../src/controllers/Rollout.ts"

const Size = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 200 }))
const Percent = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 100 }))
const Sizes = Schema.Array(Size).check(Schema.isMinLength(1), Schema.isMaxLength(6))

const sharesOf = (sizes: ReadonlyArray<number>, maxBefore: number): ReadonlyArray<Rollout.Share> =>
  sizes.map((replicas, index) => ({ name: `set-${index}`, replicas, createdMs: index, maxBefore }))

const total = (numbers: Iterable<number>): number => [...numbers].reduce((sum, one) => sum + one, 0)

describe("the arithmetic of rollouts", () => {
  it("rounds surge up and unavailability down, and always permits progress", () => {
    assert.deepStrictEqual(Rollout.limitsOf("25%", "25%", 3), { surge: 1, unavailable: 0 })
    assert.deepStrictEqual(Rollout.limitsOf("25%", "25%", 10), { surge: 3, unavailable: 2 })
    assert.deepStrictEqual(Rollout.limitsOf(0, "1%", 10), { surge: 0, unavailable: 1 })
    assert.strictEqual(Rollout.resolve("junk", 10, "up"), 0)
  })

  it.prop(
    "a percentage is between 0 and the total, and rounding up adds at most one",
    [Percent, Size],
    ([percent, size]) => {
      const up = Rollout.resolve(`${percent}%`, size, "up")
      const down = Rollout.resolve(`${percent}%`, size, "down")
      return down >= 0 && up <= size && up - down >= 0 && up - down <= 1
    }
  )

  it.prop("sizes add up to the wanted size plus the surge", [Sizes, Size, Size], ([sizes, wanted, surge]) => {
    const shares = sharesOf(sizes, Math.max(1, total(sizes)))
    const shared = Rollout.proportional(shares, wanted, surge)
    const sum = total(shared.values())
    const isWhole = [...shared.values()].every((size) => Number.isInteger(size) && size >= 0)
    return isWhole && shared.size === shares.length && sum === (wanted === 0 ? 0 : wanted + surge)
  })

  it.prop("no size shrinks while the total grows", [Sizes, Size], ([sizes, more]) => {
    const before = total(sizes)
    const shares = sharesOf(sizes, Math.max(1, before))
    const shared = Rollout.proportional(shares, before + more + 1, 0)
    return shares.every(({ name, replicas }) => (shared.get(name) ?? 0) >= replicas)
  })
})
