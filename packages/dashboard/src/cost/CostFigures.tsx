/**
 * Key figures of a report: total, idle costs, efficiency and savings.
 */
import { SimpleGrid, Text, UnstyledButton, VisuallyHidden } from "@mantine/core"
import type { CostGroups, CostTotals } from "../api/CostQueries.ts"
import * as Quantity from "../format/Quantity.ts"
import { BESIDES, besideOf } from "../chart/CostLabels.ts"
import * as Comparison from "./Comparison.ts"
import type { Explained } from "./Explained.ts"

interface Props {
  /** The report with one group for all workloads and one for each kind of other costs. */
  readonly report: CostGroups
  readonly onExplain: (explained: Explained) => void
}

const workloadsOf = ({ rows }: CostGroups): CostTotals | undefined => rows.find((row) => besideOf(row) === undefined)

const MEANINGS = {
  efficiency:
    "Share of the requested CPU and memory that workloads used, weighted by cost, over the time with known usage.",
  savings:
    "Amount that the recommended requests would have saved: allocated CPU and memory minus the recommendation, for each replica and hour, at the mean price. The page Savings lists it by workload."
}

export const CostFigures = ({ onExplain, report }: Props) => {
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
          covered === 0
            ? "Not known yet: no data for this period"
            : (beforeText(report) ?? `${Quantity.coverage(covered / hours)} of the period covered`)
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
        note={`Usage of requests: CPU ${Quantity.percent(workloads?.cpuEfficiency)}, memory ${Quantity.percent(workloads?.memoryEfficiency)}`}
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

/** Describes the parts of the total. */
const partsText = ({ currency, rows }: CostGroups): string => {
  const parts = rows.map((row) => {
    const beside = besideOf(row)
    return `${beside === undefined ? "workloads" : BESIDES[beside][0].toLowerCase()} ${Quantity.money(row.totalCost, currency)}`
  })
  return `The total is the sum of ${parts.join(", ")}.`
}

/** Describes the change of the total. **Shape** `undefined` if the periods are not compared. */
const beforeText = ({ currency, previous, totals }: CostGroups): string | undefined => {
  const change = Comparison.changeOf({ now: totals.totalCost, before: previous?.totals?.totalCost }, currency)
  if (change === undefined || previous === undefined) return undefined
  return `${Comparison.lineOf(change)} from ${Quantity.money(previous.totals?.totalCost, currency)} in the period before`
}

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
    <VisuallyHidden>Explain</VisuallyHidden>
  </UnstyledButton>
)
