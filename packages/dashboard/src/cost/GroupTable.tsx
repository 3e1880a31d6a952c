/**
 * Table of cost groups, the most expensive first. Each cost opens its explanation.
 */
import { Paper, Progress, Table, Text, UnstyledButton } from "@mantine/core"
import type { CostGroup, CostGroups, WorkloadCost } from "../api/CostQueries.ts"
import { ScrollTable } from "../feedback/ScrollTable.tsx"
import * as Quantity from "../format/Quantity.ts"
import { BESIDES, besideOf, keyOf, nameOf } from "../chart/CostLabels.ts"
import { type CostView, groupByOf, LABEL } from "./CostView.ts"
import type { Explained } from "./Explained.ts"

interface Props {
  readonly report: CostGroups
  readonly before: CostGroups | undefined
  readonly by: CostView["by"]
  readonly clusters: ReadonlyMap<string, WorkloadCost["cluster"]>
  readonly onExplain: (explained: Explained) => void
}

export const GroupTable = ({ before, by, clusters, onExplain, report: { currency, rows, totals } }: Props) => {
  const earlier = new Map(before?.rows.map((row) => [keyOf(row), row.totalCost]))
  const title = by.startsWith(LABEL) ? by.slice(LABEL.length) : by
  return (
    <Paper withBorder>
      <ScrollTable minWidth={680} label="Costs by group">
        <Table horizontalSpacing="md" aria-label="Costs by group" className="qd-keeps-name">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col" tt="capitalize">
                {title}
              </Table.Th>
              {["Cost", "Share", "Change", "CPU used", "Memory used", "Savings"].map((column) => (
                <Table.Th key={column} scope="col" ta="right">
                  {column}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map((row) => (
              <GroupRow
                key={keyOf(row)}
                row={row}
                share={totals.totalCost === 0 ? 0 : row.totalCost / totals.totalCost}
                change={before === undefined ? Quantity.UNKNOWN : changeText(row.totalCost, earlier.get(keyOf(row)))}
                currency={currency}
                onExplain={() => onExplain(explainedOf(row, by, clusters))}
              />
            ))}
          </Table.Tbody>
        </Table>
      </ScrollTable>
    </Paper>
  )
}

const changeText = (now: number, earlier: number | undefined): string =>
  earlier === undefined ? "new" : Quantity.change(now, earlier)

const explainedOf = (row: CostGroup, by: CostView["by"], clusters: Props["clusters"]): Explained => {
  const beside = besideOf(row)
  const { cluster: clusterName = "" } = row.group
  const cluster = clusters.get(clusterName)
  if (by === "workload" && beside === undefined && cluster !== undefined) {
    const { kind = "", namespace = "", workload = "" } = row.group
    return { _tag: "Workload", cluster, id: [clusterName, namespace, kind, workload].join("/"), name: workload }
  }
  // An empty value stands for workloads without the label.
  const absent = Object.fromEntries(groupByOf({ by }).map((key) => [key, ""]))
  return {
    _tag: "Sum",
    title: nameOf(row),
    sums: row,
    group: { ...absent, ...row.group },
    hasWorkloads: beside === undefined,
    ...(beside === undefined ? {} : { meaning: BESIDES[beside][1] })
  }
}

interface RowProps {
  readonly row: CostGroup
  readonly share: number
  readonly change: string
  readonly currency: string
  readonly onExplain: () => void
}

const GroupRow = ({ change, currency, onExplain, row, share }: RowProps) => {
  const isBeside = besideOf(row) !== undefined
  const cost = Quantity.money(row.totalCost, currency)
  const { cluster, kind, namespace, workload } = row.group
  return (
    <Table.Tr>
      <Table.Td className="qd-text" {...(isBeside ? { c: "dimmed" } : {})}>
        {nameOf(row)}
        {workload === undefined || isBeside ? undefined : (
          <Text size="xs" c="dimmed">
            {kind} in {namespace} of {cluster}
          </Text>
        )}
      </Table.Td>
      <Table.Td ta="right">
        <UnstyledButton
          fz="sm"
          className="qd-number qd-explains"
          onClick={onExplain}
          aria-label={`${cost}: explain the cost of ${nameOf(row)}`}
        >
          {cost}
        </UnstyledButton>
      </Table.Td>
      <Table.Td ta="right" className="qd-number">
        {Quantity.percent(share)}
        <Progress value={Math.max(0, share * 100)} size={4} aria-hidden="true" />
      </Table.Td>
      <Table.Td ta="right" className="qd-number">
        {change}
      </Table.Td>
      <Table.Td ta="right" className="qd-number">
        {isBeside ? Quantity.UNKNOWN : Quantity.percent(row.cpuEfficiency)}
      </Table.Td>
      <Table.Td ta="right" className="qd-number">
        {isBeside ? Quantity.UNKNOWN : Quantity.percent(row.memoryEfficiency)}
      </Table.Td>
      <Table.Td ta="right" className="qd-number">
        {isBeside ? Quantity.UNKNOWN : Quantity.money(row.savingsAvailable, currency)}
      </Table.Td>
    </Table.Tr>
  )
}
