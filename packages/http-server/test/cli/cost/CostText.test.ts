import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as CostText from "../../../src/cli/cost/CostText.ts"

describe("figures of costs", () => {
  it.each([
    [0, "0.00"],
    [-0, "0.00"],
    [12.3, "12.30"],
    [0.005, "0.01"],
    [0.004, "<0.01"],
    [-0.004, ">-0.01"],
    [-3, "-3.00"]
  ])("an amount of %d is told as %s", (amount, told) => {
    assert.strictEqual(CostText.money(amount), told)
  })

  it.prop("no cost is told as none", [Schema.Finite], ([amount]) => {
    assert.strictEqual(CostText.money(amount) === "0.00", amount === 0)
  })

  it.each([
    [1, "100%"],
    [0.99997, ">99%"],
    [0.99, "99%"],
    [0.989, "98%"],
    [0.29, "29%"],
    [1.5, "150%"]
  ])("only the whole is 100%%: %d", (part, told) => {
    assert.strictEqual(CostText.percent(part), told)
  })

  it.each([
    [168, "7 d"],
    [167.99, "6 d 23 h"],
    [168 + 1 / 3, "7 d"],
    [2.1, "2 h 6 min"],
    [0.5, "30 min"],
    [0, "0 min"]
  ])("%d hours are told as %s", (hours, told) => {
    assert.strictEqual(CostText.span(hours), told)
  })

  it("a price keeps what counts of it", () => {
    assert.strictEqual(CostText.price(0.00005479452), "0.0000547945")
    assert.strictEqual(CostText.price(0.031611), "0.031611")
  })
})
