/**
 * The groups whose costs changed most since the period before.
 */
import { Anchor, Group, Paper, Stack, Text, Title } from "@mantine/core"
import { Link, type To } from "react-router"
import type { CostGroup, CostGroups } from "../api/CostQueries.ts"
import { keyOf, nameOf } from "../chart/CostLabels.ts"
import * as Quantity from "../format/Quantity.ts"
import * as Comparison from "./Comparison.ts"

interface Props {
  readonly report: CostGroups
  readonly linkInto: (row: CostGroup) => To | undefined
}

const SHOWN = 5

export const Movers = ({ linkInto, report }: Props) => {
  const movers = Comparison.moversOf(report, SHOWN)
  const reason = Comparison.reasonOf(report)
  const { currency, previous } = report
  const most = Math.max(...movers.map(({ difference }) => Math.abs(difference)))
  return (
    <Paper withBorder p="md" component="section" aria-label="What changed">
      <Title order={2} size="h5">
        What changed
      </Title>
      {previous === undefined ? undefined : (
        <Text size="sm" c="dimmed">
          Compared with {dayOf(previous.window.start)} to {dayOf(previous.window.end)}, UTC
          {report.nextCursor === undefined
            ? ""
            : `, among the ${Quantity.count(report.rows.length)} most expensive groups`}
        </Text>
      )}
      {reason === undefined ? undefined : (
        <Text size="sm" mt={4}>
          {reason}
        </Text>
      )}
      {movers.length === 0 && reason === undefined ? (
        <Text size="sm" mt={4}>
          No group costs more or less than before.
        </Text>
      ) : undefined}
      <Stack gap={6} mt="xs" component="ol" p={0} m={0} maw={760} className="qd-movers">
        {movers.map(({ before, difference, row }) => {
          const change = Comparison.changeOf({ now: row.totalCost, before }, currency)
          const to = linkInto(row)
          return (
            <Group key={keyOf(row)} component="li" justify="space-between" wrap="nowrap" gap="sm">
              <Text size="sm" className="qd-text" component="span">
                {to === undefined ? (
                  nameOf(row)
                ) : (
                  <Anchor component={Link} to={to} size="sm" underline="hover">
                    {nameOf(row)}
                  </Anchor>
                )}
              </Text>
              <Group gap="sm" wrap="nowrap">
                <span
                  className={difference > 0 ? "qd-mover qd-mover-up" : "qd-mover qd-mover-down"}
                  style={{ width: `${Math.max(2, (Math.abs(difference) / most) * 80)}px` }}
                  aria-hidden="true"
                />
                <Text size="sm" component="span" className="qd-number" ta="right" miw={130}>
                  {change === undefined ? Quantity.UNKNOWN : Comparison.lineOf(change)}
                </Text>
              </Group>
            </Group>
          )
        })}
      </Stack>
    </Paper>
  )
}

/** Prints a day and an hour in UTC. **Example** `2026-02-22 10:00` */
const dayOf = (instant: string): string => instant.slice(0, 16).replace("T", " ")
