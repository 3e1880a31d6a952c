import { assert, describe, it } from "@effect/vitest"
import { changeOf, isSeen, lineOf, moversOf, reasonOf } from "../src/cost/Comparison.ts"
import { clusterName, group, totals } from "./costGroups.ts"

const text = (now: number, before: number | null | undefined) => {
  const change = changeOf({ now, before }, "USD")
  return change === undefined ? undefined : lineOf(change)
}

describe("the change of a cost", () => {
  it("is told in money and percent", () => {
    assert.strictEqual(text(12, 10), "+$2.00 (+20%)")
    assert.strictEqual(text(8, 10), "-$2.00 (-20%)")
    assert.strictEqual(text(10.001, 10), "$0.00")
  })

  it("has no percentage where the cost before was nothing, or next to nothing", () => {
    assert.strictEqual(text(5, 0), "+$5.00 (new)")
    assert.strictEqual(text(717.5, 1), "+$716.50")
    assert.strictEqual(text(0, 0), "$0.00")
    assert.strictEqual(text(0, 5), "-$5.00 (-100%)")
  })

  it("is not told where the periods are not comparable", () => {
    assert.isUndefined(text(5, null))
    assert.isUndefined(text(5, undefined))
  })
})

describe("what changed", () => {
  const rows = [
    group({ namespace: "same" }, 5, 5),
    group({ namespace: "up" }, 30, 10),
    group({ namespace: "down" }, 1, 9),
    group({ namespace: "gone" }, 0, 50),
    group({ namespace: "unknown" }, 1_000, null)
  ]

  it("is the largest changes, up or down, without those that are not comparable", () => {
    assert.deepStrictEqual(
      moversOf({ rows }, 5).map(({ difference, row }) => [row.group["namespace"], difference]),
      [
        ["gone", -50],
        ["up", 20],
        ["down", -8]
      ]
    )
    assert.strictEqual(moversOf({ rows }, 1).length, 1)
  })
})

describe("the reason why costs are not compared", () => {
  const now = { clusters: [], window: { start: "", end: "" }, totals: null }
  const seen = (name: string, hoursCovered: number, comparable: boolean) => ({
    name: clusterName(name),
    hoursCovered,
    hoursInWindow: 100,
    comparable
  })

  it("names the clusters that were not seen alike", () => {
    assert.isUndefined(reasonOf({ clusters: [] }))
    assert.isUndefined(reasonOf({ clusters: [], previous: { ...now, clusters: [seen("hub", 100, true)] } }))
    assert.match(
      reasonOf({ clusters: [], previous: { ...now, clusters: [seen("hub", 100, true), seen("stage", 3, false)] } })
        ?? "",
      /different parts of both periods: stage \(/
    )
    assert.match(reasonOf({ clusters: [], previous: { ...now, clusters: [seen("hub", 0, false)] } }) ?? "", /nothing/)
    assert.isFalse(isSeen([totals({ hoursCovered: 0 })]))
  })
})
