/**
 * The figures of a report: what it comes to, against the period before, and what could be saved.
 */
import { SimpleGrid, Text, UnstyledButton, VisuallyHidden } from "@mantine/core"
import type { CostGroups, CostTotals } from "../api/CostQueries.ts"
import * as Quantity from "../format/Quantity.ts"
import { BESIDES, besideOf } from "../chart/CostLabels.ts"
import type { Explained } from "./Explained.ts"

interface Props {
  /** The report as one group, with what no workload has as others. */
  readonly report: CostGroups
  /** The same of the period before; absent while, or where, it is not known. */
  readonly before: CostGroups | undefined
  readonly onExplain: (explained: Explained) => void
}

const workloadsOf = ({ rows }: CostGroups): CostTotals | undefined => rows.find((row) => besideOf(row) === undefined)

const MEANINGS = {
  efficiency:
    "How much of what workloads requested they used, while usage was known: CPU and memory, weighted by what each cost. The rest is paid for and waits.",
  savings:
    "What would not have been spent had each workload requested what is recommended: for CPU and memory, what was allocated less the recommendation for each replica and hour, at the mean price. Savings lists them, workload by workload."
}

export const CostFigures = ({ before, onExplain, report }: Props) => {
  const { currency, rows, totals } = report
  const workloads = workloadsOf(report)
  const idle = rows.find((row) => besideOf(row) === "idle")
  const hours = report.clusters.reduce((sum, { hoursInWindow }) => sum + hoursInWindow, 0)
  const covered = report.clusters.reduce((sum, { hoursCovered }) => sum + hoursCovered, 0)
  const sum = (title: string, sums: CostTotals, more: { meaning?: string; hasWorkloads: boolean }): Explained => ({
    _tag: "Sum",
    title,
    sums,
    group: {},
    ...more
  })
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, lg: 4 }} spacing="sm">
      <Figure
        name="Total"
        value={Quantity.money(covered === 0 ? undefined : totals.totalCost, currency)}
        note={
          before === undefined
            ? covered === 0
              ? "Not known yet: nothing of this time was seen"
              : `${Quantity.coverage(covered / hours)} of the time covered`
            : beforeText(totals.totalCost, before, currency)
        }
        onClick={() => onExplain(sum("Total", totals, { meaning: partsText(report), hasWorkloads: true }))}
      />
      {idle === undefined ? undefined : (
        <Figure
          name="Idle"
          value={Quantity.money(idle.totalCost, currency)}
          note={`${Quantity.percent(totals.totalCost === 0 ? undefined : idle.totalCost / totals.totalCost)} of the total`}
          onClick={() => onExplain(sum("Idle", idle, { meaning: BESIDES.idle[1], hasWorkloads: false }))}
        />
      )}
      <Figure
        name="Efficiency"
        value={Quantity.percent(workloads?.efficiency)}
        note={`Used of requests: CPU ${Quantity.percent(workloads?.cpuEfficiency)}, memory ${Quantity.percent(workloads?.memoryEfficiency)}`}
        onClick={() =>
          onExplain(sum("Efficiency", workloads ?? totals, { meaning: MEANINGS.efficiency, hasWorkloads: true }))
        }
      />
      <Figure
        name="Savings available"
        value={Quantity.money(covered === 0 ? undefined : totals.savingsAvailable, currency)}
        note={`${Quantity.percent(totals.totalCost === 0 ? undefined : totals.savingsAvailable / totals.totalCost)} of the total`}
        onClick={() =>
          onExplain(sum("Savings available", workloads ?? totals, { meaning: MEANINGS.savings, hasWorkloads: true }))
        }
      />
    </SimpleGrid>
  )
}

/** Says what the total is the sum of, where that is more than workloads. */
const partsText = ({ currency, rows }: CostGroups): string => {
  const parts = rows.map((row) => {
    const beside = besideOf(row)
    return `${beside === undefined ? "workloads" : BESIDES[beside][0].toLowerCase()} ${Quantity.money(row.totalCost, currency)}`
  })
  return `It is the sum of ${parts.join(", ")}.`
}

const beforeText = (now: number, { totals }: CostGroups, currency: string): string =>
  `${Quantity.change(now, totals.totalCost)} on the period before, ${Quantity.money(totals.totalCost, currency)}`

interface FigureProps {
  readonly name: string
  readonly value: string
  readonly note: string
  readonly onClick: () => void
}

const Figure = ({ name, note, onClick, value }: FigureProps) => (
  <UnstyledButton className="qd-figure" onClick={onClick}>
    <Text size="xs" c="dimmed">
      {name}
    </Text>
    <Text fz={26} fw={650} className="qd-number qd-explains">
      {value}
    </Text>
    <Text size="sm" c="dimmed">
      {note}
    </Text>
    <VisuallyHidden>Explain it</VisuallyHidden>
  </UnstyledButton>
)
