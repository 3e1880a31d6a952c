/**
 * Table of cost groups. Each name leads to the costs inside the group, each cost opens its explanation.
 */
import { Anchor, Paper, Progress, Table, Text, UnstyledButton } from "@mantine/core"
import { Link, type To } from "react-router"
import type { CostGroup, CostGroups, WorkloadCost } from "../api/CostQueries.ts"
import { ScrollTable } from "../feedback/ScrollTable.tsx"
import * as Quantity from "../format/Quantity.ts"
import { BESIDES, besideOf, keyOf, nameOf } from "../chart/CostLabels.ts"
import * as Comparison from "./Comparison.ts"
import { type CostView, groupByOf, LABEL, type Sort } from "./CostView.ts"
import type { Explained } from "./Explained.ts"
import { COLUMNS, sorted } from "./GroupOrder.ts"

interface Props {
  readonly report: CostGroups
  readonly view: CostView
  readonly clusters: ReadonlyMap<string, WorkloadCost["cluster"]>
  readonly onExplain: (explained: Explained) => void
  readonly onSort: (part: Pick<CostView, "sort" | "order">) => void
  /** Returns the address of the costs inside a group; `undefined` if there is no such page. */
  readonly linkInto: (row: CostGroup) => To | undefined
}

export const GroupTable = ({ clusters, linkInto, onExplain, onSort, report, view }: Props) => {
  const { currency, rows, totals } = report
  const columns = COLUMNS.filter(({ sort }) => view.compare || (sort !== "before" && sort !== "change"))
  const title = [view.by, ...(view.thenBy === undefined ? [] : [view.thenBy])]
    .map((key) => (key.startsWith(LABEL) ? key.slice(LABEL.length) : key))
    .join(" / ")
  const reason = Comparison.reasonOf(report) ?? "Not known"
  return (
    <Paper withBorder>
      <ScrollTable minWidth={view.compare ? 820 : 640} label="Costs by group">
        <Table horizontalSpacing="md" aria-label="Costs by group" className="qd-keeps-name qd-cost-table">
          <Table.Thead>
            <Table.Tr>
              <SortHead sort="name" text={title} view={view} onSort={onSort} isFirst />
              {columns.map(({ sort, text }) =>
                sort === undefined ? (
                  <Table.Th key={text} scope="col" ta="right">
                    {text}
                  </Table.Th>
                ) : (
                  <SortHead key={text} sort={sort} text={text} view={view} onSort={onSort} />
                )
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sorted(rows, view).map((row) => (
              <GroupRow
                key={keyOf(row)}
                row={row}
                share={totals.totalCost === 0 ? 0 : row.totalCost / totals.totalCost}
                currency={currency}
                isCompared={view.compare}
                reason={reason}
                to={linkInto(row)}
                onExplain={() => onExplain(explainedOf(row, view, clusters))}
              />
            ))}
          </Table.Tbody>
        </Table>
      </ScrollTable>
    </Paper>
  )
}

interface HeadProps {
  readonly sort: Sort
  readonly text: string
  readonly view: CostView
  readonly onSort: Props["onSort"]
  readonly isFirst?: boolean
}

const SortHead = ({ isFirst = false, onSort, sort, text, view }: HeadProps) => {
  const isSorted = view.sort === sort
  const order = isSorted ? view.order : undefined
  const next = order === undefined ? (sort === "name" ? "asc" : "desc") : order === "asc" ? "desc" : "asc"
  return (
    <Table.Th
      scope="col"
      {...(isFirst ? { tt: "capitalize" } : { ta: "right" })}
      aria-sort={order === undefined ? "none" : order === "asc" ? "ascending" : "descending"}
    >
      <UnstyledButton
        className="qd-sort"
        fz="sm"
        fw={650}
        tt="inherit"
        ta="inherit"
        onClick={() => onSort({ sort, order: next })}
      >
        {text}
        <span aria-hidden="true">{order === undefined ? "" : order === "asc" ? " ↑" : " ↓"}</span>
      </UnstyledButton>
    </Table.Th>
  )
}

const explainedOf = (row: CostGroup, view: CostView, clusters: Props["clusters"]): Explained => {
  const beside = besideOf(row)
  const { cluster: clusterName = "", kind = "", namespace = "", workload } = row.group
  const cluster = clusters.get(clusterName)
  if (workload !== undefined && beside === undefined && cluster !== undefined) {
    return { _tag: "Workload", cluster, id: [clusterName, namespace, kind, workload].join("/"), name: workload }
  }
  // An empty value stands for workloads without the label.
  const absent = Object.fromEntries(groupByOf(view).map((key) => [key, ""]))
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
  readonly currency: string
  readonly isCompared: boolean
  /** Explains a missing comparison. */
  readonly reason: string
  readonly to: To | undefined
  readonly onExplain: () => void
}

const GroupRow = ({ currency, isCompared, onExplain, reason, row, share, to }: RowProps) => {
  const isBeside = besideOf(row) !== undefined
  const cost = Quantity.money(row.totalCost, currency)
  const { cluster, kind, namespace, workload } = row.group
  const before = row.previous?.totalCost
  const change = Comparison.changeOf({ now: row.totalCost, before }, currency)
  return (
    <Table.Tr className={isBeside ? "qd-cost-beside" : undefined} data-cost-group={nameOf(row)}>
      <Table.Td className="qd-text">
        {to === undefined ? (
          nameOf(row)
        ) : (
          <Anchor component={Link} to={to} size="sm" fw={600} underline="hover">
            {nameOf(row)}
          </Anchor>
        )}
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
        <Progress value={Math.max(0, share * 100)} size={4} aria-hidden="true" color="blue" />
      </Table.Td>
      {isCompared ? (
        <>
          <Table.Td ta="right" className="qd-number" {...(before === undefined ? { title: reason } : {})}>
            {Quantity.money(before, currency)}
          </Table.Td>
          <Table.Td ta="right" className="qd-number" {...(change === undefined ? { title: reason } : {})}>
            {change === undefined ? Quantity.UNKNOWN : change.money}
            {change?.part === undefined ? undefined : (
              <Text size="xs" c="dimmed">
                {change.part}
              </Text>
            )}
          </Table.Td>
        </>
      ) : undefined}
      <Table.Td ta="right" className="qd-number">
        {isBeside ? Quantity.UNKNOWN : Quantity.percent(row.cpuEfficiency)}
      </Table.Td>
      <Table.Td ta="right" className="qd-number">
        {isBeside ? Quantity.UNKNOWN : Quantity.percent(row.memoryEfficiency)}
      </Table.Td>
      <SavingsCell row={row} isBeside={isBeside} currency={currency} />
    </Table.Tr>
  )
}

/** A group whose savings and cost increase are both 0 may lack recommendations, so no amount is claimed. */
const SavingsCell = ({
  currency,
  isBeside,
  row
}: {
  readonly row: CostGroup
  readonly isBeside: boolean
  readonly currency: string
}) => {
  const isKnown = !isBeside && (row.savingsAvailable > 0 || row.costIncrease > 0)
  return (
    <Table.Td
      ta="right"
      className="qd-number"
      {...(isKnown || isBeside ? {} : { title: "Nothing to save, or no recommendation yet" })}
    >
      {isKnown ? Quantity.money(row.savingsAvailable, currency) : Quantity.UNKNOWN}
    </Table.Td>
  )
}
