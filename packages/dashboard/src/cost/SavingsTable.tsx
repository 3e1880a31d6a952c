/**
 * Table of savings by workload.
 */
import { Anchor, Paper, Progress, Table, Text, UnstyledButton } from "@mantine/core"
import { Fragment, useState } from "react"
import { Link, type To } from "react-router"
import { ScrollTable } from "../feedback/ScrollTable.tsx"
import * as Quantity from "../format/Quantity.ts"
import * as Savings from "./Savings.ts"

interface Props {
  readonly rows: ReadonlyArray<Savings.SavingsRow>
  readonly by: Savings.Grouping
  readonly labelKey: string
  readonly currency: string
  /** True while the present workloads, which have the requests and labels, are loading. */
  readonly isLoading: boolean
  /** False to show every row, whatever its savings. */
  readonly isFolded: boolean
  readonly linkTo: (id: string) => To
}

const NOT_KNOWN = "Not known yet: a recommendation needs a day of usage"
const NOT_RUNNING = "Not running now, or not in the list of workloads"

export const SavingsTable = ({ isFolded, rows, ...table }: Props) => {
  const [isOpen, setIsOpen] = useState(false)
  const { large, none, small, unknown } = Savings.ranked(rows)
  const folded = [...small, ...unknown, ...none]
  const shown = !isFolded || isOpen ? [...large, ...folded] : large
  const most = Math.max(0, ...rows.map(({ monthly }) => monthly ?? 0))
  return (
    <Paper withBorder>
      <ScrollTable minWidth={900} label="Savings by workload">
        <Table horizontalSpacing="md" aria-label="Savings by workload" className="qd-keeps-name">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">Workload</Table.Th>
              {["Saving a month", "Request now", "Recommended"].map((column) => (
                <Table.Th key={column} scope="col" ta="right">
                  {column}
                </Table.Th>
              ))}
              <Table.Th scope="col" className="qd-text" tt="capitalize">
                {table.labelKey}
              </Table.Th>
              <Table.Th scope="col" ta="right">
                Days seen
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {Savings.sectionsOf(shown, table.by, table.labelKey).map((section) => (
              <Fragment key={section.name}>
                {table.by === "" ? undefined : (
                  <Table.Tr className="qd-savings-group">
                    <Table.Th scope="rowgroup" className="qd-text">
                      {section.name} ({Quantity.counted(section.rows.length, "workload")})
                    </Table.Th>
                    <Table.Td ta="right" className="qd-number" fw={650}>
                      {Quantity.money(
                        Savings.sumOf(section.rows, ({ monthly }) => monthly),
                        table.currency
                      )}
                    </Table.Td>
                    <Table.Td colSpan={4} />
                  </Table.Tr>
                )}
                {section.rows.map((row) => (
                  <Row key={row.row.id} row={row} most={most} {...table} />
                ))}
              </Fragment>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollTable>
      {isFolded && folded.length > 0 ? (
        <UnstyledButton
          m="sm"
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
          className="qd-link qd-cost-controls"
        >
          {isOpen ? "Fold the others" : `Show ${foldedText({ small, none, unknown })}`}
        </UnstyledButton>
      ) : undefined}
    </Paper>
  )
}

const foldedText = ({ none, small, unknown }: Omit<Savings.Ranked, "large">): string =>
  [
    ...(small.length > 0 ? [`${Quantity.count(small.length)} with small savings`] : []),
    ...(unknown.length > 0 ? [`${Quantity.count(unknown.length)} not known yet`] : []),
    ...(none.length > 0 ? [`${Quantity.count(none.length)} with nothing to save`] : [])
  ].join(", ")

interface RowProps extends Omit<Props, "by" | "isFolded" | "rows"> {
  readonly row: Savings.SavingsRow
  readonly most: number
}

const Row = ({ currency, isLoading, labelKey, linkTo, most, row: { labels, monthly, requests, row } }: RowProps) => {
  const isKnown = row.recommendationDays > 0
  const present = isLoading ? "…" : Quantity.UNKNOWN
  return (
    <Table.Tr data-savings={row.id}>
      <Table.Td className="qd-text">
        <Anchor component={Link} to={linkTo(row.id)} size="sm" fw={600} underline="hover">
          {row.workloadName}
        </Anchor>
        <Text size="xs" c="dimmed">
          {row.workloadType} in {row.namespace} of {row.cluster}
        </Text>
      </Table.Td>
      <Table.Td ta="right" className="qd-number" {...(monthly === undefined ? { title: NOT_KNOWN } : {})}>
        {monthly === undefined ? (
          <Text size="sm" c="dimmed">
            not known yet
          </Text>
        ) : (
          Quantity.money(monthly, currency)
        )}
        {monthly === undefined || monthly === 0 ? undefined : (
          <Progress value={most === 0 ? 0 : (monthly / most) * 100} size={4} color="teal" aria-hidden="true" />
        )}
        {row.costIncrease > 0 ? (
          <Text size="xs" c="dimmed">
            one request is too low
          </Text>
        ) : undefined}
      </Table.Td>
      <Table.Td
        ta="right"
        className="qd-number"
        {...(requests === undefined && !isLoading ? { title: NOT_RUNNING } : {})}
      >
        {requests === undefined ? present : <Both cpuMillis={requests.cpuMillis} memoryBytes={requests.memoryBytes} />}
      </Table.Td>
      <Table.Td ta="right" className="qd-number" {...(isKnown ? {} : { title: NOT_KNOWN })}>
        {isKnown ? (
          <Both cpuMillis={row.cpuRecommendedMillis} memoryBytes={row.memoryRecommendedBytes} />
        ) : (
          Quantity.UNKNOWN
        )}
      </Table.Td>
      <Table.Td className="qd-text" {...(labels === undefined && !isLoading ? { title: NOT_RUNNING } : {})}>
        {labels === undefined ? present : (labels[labelKey] ?? Quantity.UNKNOWN)}
      </Table.Td>
      <Table.Td ta="right" className="qd-number" {...(isKnown ? {} : { title: NOT_KNOWN })}>
        {isKnown ? daysText(row.recommendationDays) : Quantity.UNKNOWN}
      </Table.Td>
    </Table.Tr>
  )
}

const daysText = (days: number): string => (days < 1 ? "under 1" : Quantity.count(Math.floor(days)))

/** Requests of one replica, CPU above memory. */
const Both = ({ cpuMillis, memoryBytes }: Savings.Requests) => (
  <>
    {Quantity.cpu(cpuMillis)}
    <Text size="xs" c="dimmed">
      {Quantity.bytes(memoryBytes)}
    </Text>
  </>
)
