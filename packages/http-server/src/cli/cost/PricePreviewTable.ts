/**
 * What a price book would change, as a table: a line for each part of the cost.
 */
import type { PricedTotals, PriceEffect } from "@quarterdeck/cost/CostRow"
import type * as Output from "../Output.ts"
import * as CostText from "./CostText.ts"

/** One line: a part of the cost, by the present book and by the new one. */
export interface Line {
  readonly part: string
  readonly before: number
  readonly after: number
}

/** The parts of the cost; an `isRare` part is shown where either book makes it cost something. */
const PARTS: ReadonlyArray<readonly [part: string, of: (totals: PricedTotals) => number, isRare?: true]> = [
  ["cpu", ({ cpuCost }) => cpuCost],
  ["memory", ({ memoryCost }) => memoryCost],
  ["gpu", ({ gpuCost }) => gpuCost, true],
  ["storage", ({ storageCost }) => storageCost],
  ["network", ({ networkCost }) => networkCost, true],
  ["load balancers", ({ loadBalancerCost }) => loadBalancerCost, true],
  ["workloads", ({ totalCost }) => totalCost],
  ["beside workloads", ({ idleCost }) => idleCost]
]

/** Gives the lines. */
export const lines = ({ after, before }: PriceEffect): ReadonlyArray<Line> =>
  PARTS.map(([part, of, isRare = false]) => ({ part, before: of(before), after: of(after), isRare }))
    .filter(({ after, before, isRare }) => !isRare || after !== 0 || before !== 0)
    .map(({ after, before, part }) => ({ part, before, after }))

/** Prints the change of a cost with its sign, and what it is of the cost before, where there was any. */
const change = ({ after, before }: Line): string => {
  const difference = after - before
  if (difference === 0) return "0"
  const amount = `${difference > 0 ? "+" : ""}${CostText.money(difference)}`
  const percent = Math.round((difference / before) * 100)
  return before > 0 ? `${amount} (${percent > 0 ? "+" : ""}${percent}%)` : amount
}

export const columns: Output.Columns<Line> = {
  table: [
    { title: "LAST 7 DAYS", cell: ({ part }) => part },
    { title: "BEFORE", align: "right", cell: ({ before }) => CostText.money(before) },
    { title: "AFTER", align: "right", cell: ({ after }) => CostText.money(after) },
    { title: "CHANGE", align: "right", cell: change }
  ],
  csv: [
    { title: "part", cell: ({ part }) => part },
    { title: "before", cell: ({ before }) => before },
    { title: "after", cell: ({ after }) => after }
  ]
}
