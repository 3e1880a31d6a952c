import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { build } from "../../src/allocation/HourBuilder.ts"
import { measures } from "../../src/hour/Measure.ts"
import { workedOut } from "./arithmetic.ts"
import { amountOf, placeOf } from "./facts.ts"
import { examplesOf } from "./page.ts"

const page = readFileSync(new URL("../../../../docs/cost-model/allocation.md", import.meta.url), "utf8")
const examples = examplesOf(page)

describe("the page on allocation", () => {
  it("has an example of every measure that an hour is built with", () => {
    const shown = new Set(examples.flatMap(({ charges }) => charges.map(({ measure }) => measure)))
    const built = measures.filter((measure) => !measure.endsWith("CostNanos"))
    assert.deepStrictEqual(
      built.filter((measure) => !shown.has(measure)),
      []
    )
  })

  for (const { charges, facts, title } of examples) {
    describe(`of ${title}`, () => {
      const hour = build(facts)
      for (const { amount, because, measure, to } of charges) {
        it(`charges ${to} ${because} = ${amount} ${measure}`, () => {
          assert.strictEqual(workedOut(because), amount)
          const known = measures.find((one) => one === measure)
          if (known === undefined) assert.fail(`no measure: ${measure}`)
          assert.isAtLeast(placeOf(hour, to), 0)
          assert.strictEqual(amountOf(hour, to, known), amount)
        })
      }
    })
  }
})
