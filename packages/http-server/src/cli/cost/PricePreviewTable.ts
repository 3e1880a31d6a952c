/**
 * The effect of a price book as a table, with a line for each part of the cost.
 */
import type { PricedTotals, PriceEffect } from "@quarterdeck/cost/CostRow"
import type * as Output from "../print/Output.ts"
import * as CostText from "./CostText.ts"

/** A part of the cost, under the current and under the new price book. */
export interface Line {
  readonly part: string
  readonly before: number
  readonly after: number
  /** False if the 7 days of the preview have no costs to recompute. */
  readonly isKnown: boolean
}

/** The parts of the cost. An `isRare` part is shown only if its cost is not 0. */
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

/** Returns a line for each part. */
export const lines = ({ after, before }: PriceEffect): ReadonlyArray<Line> => {
  const isKnown = hasHours(before) || hasHours(after)
  return PARTS.map(([part, of, isRare = false]) => ({ part, before: of(before), after: of(after), isRare }))
    .filter(({ after, before, isRare }) => !isRare || after !== 0 || before !== 0)
    .map(({ after, before, part }) => ({ part, before, after, isKnown }))
}

/** Reports whether the totals include an hour of a workload or of an idle node. */
const hasHours = ({ hoursExisted, idleCost, totalCost }: PricedTotals): boolean =>
  hoursExisted > 0 || totalCost !== 0 || idleCost !== 0

/** Prints the change of a cost with its sign, and its percentage of the earlier cost. */
const change = ({ after, before }: Line): string => {
  const difference = after - before
  if (difference === 0) return "0"
  const amount = `${difference > 0 ? "+" : ""}${CostText.money(difference)}`
  const percent = Math.round((difference / before) * 100)
  return before > 0 ? `${amount} (${percent > 0 ? "+" : ""}${percent}%)` : amount
}

const known =
  (print: (line: Line) => string) =>
  (line: Line): string =>
    line.isKnown ? print(line) : CostText.NOT_KNOWN

export const columns: Output.Columns<Line> = {
  table: [
    { title: "LAST 7 DAYS", cell: ({ part }) => part },
    { title: "BEFORE", align: "right", cell: known(({ before }) => CostText.money(before)) },
    { title: "AFTER", align: "right", cell: known(({ after }) => CostText.money(after)) },
    { title: "CHANGE", align: "right", cell: known(change) }
  ],
  csv: [
    { title: "part", cell: ({ part }) => part },
    { title: "before", cell: ({ before }) => before },
    { title: "after", cell: ({ after }) => after }
  ]
}
