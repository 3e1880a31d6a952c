/**
 * Cards of the savings page: what right-sizing saves, and what unused workloads cost.
 */
import { SimpleGrid, Text } from "@mantine/core"
import { Link, type To } from "react-router"
import * as Quantity from "../format/Quantity.ts"
import * as Savings from "./Savings.ts"

interface Props {
  readonly rows: ReadonlyArray<Savings.SavingsRow>
  readonly currency: string
  /** False if the server observed no part of the period. */
  readonly isSeen: boolean
  /** True if the period is long enough to find unused workloads. */
  readonly coversWeek: boolean
  readonly isUnusedShown: boolean
  readonly linkTo: (isUnused: boolean) => To
}

export const SavingsCards = ({ coversWeek, currency, isSeen, isUnusedShown, linkTo, rows }: Props) => {
  const known = rows.filter(({ monthly }) => monthly !== undefined)
  const some = known.filter(({ monthly }) => (monthly ?? 0) > 0)
  const unused = rows.filter((row) => row.isUnused)
  return (
    <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
      <Card
        name="Right-size"
        to={linkTo(false)}
        isChosen={!isUnusedShown}
        value={
          isSeen && known.length > 0
            ? `${Quantity.money(
                Savings.sumOf(some, ({ monthly }) => monthly),
                currency
              )} a month`
            : "Not known yet"
        }
        note={
          known.length === 0
            ? "Recommendations need a day of usage data."
            : `${Quantity.counted(some.length, "workload")} of ${Quantity.count(known.length)} with a recommendation`
        }
      />
      <Card
        name="Unused workloads"
        to={linkTo(true)}
        isChosen={isUnusedShown}
        value={
          !coversWeek
            ? "Not known"
            : unused.length === 0
              ? "None found"
              : `${Quantity.money(
                  Savings.sumOf(unused, ({ monthlyCost }) => monthlyCost),
                  currency
                )} a month`
        }
        note={
          coversWeek
            ? `${unused.length === 0 ? "No workload" : Quantity.counted(unused.length, "workload")} used under 5 % of requested CPU and memory for 7 days, with known usage`
            : "Choose a period of 7 days or more."
        }
      />
    </SimpleGrid>
  )
}

interface CardProps {
  readonly name: string
  readonly value: string
  readonly note: string
  readonly to: To
  readonly isChosen: boolean
}

const Card = ({ isChosen, name, note, to, value }: CardProps) => (
  <Link
    to={to}
    className={isChosen ? "qd-figure qd-savings-card qd-savings-chosen" : "qd-figure qd-savings-card"}
    aria-current={isChosen ? "true" : undefined}
  >
    <Text size="xs" c="dimmed" component="span" display="block">
      {name}
    </Text>
    <Text fz={26} fw={650} className="qd-number" component="span" display="block">
      {value}
    </Text>
    <Text size="sm" c="dimmed" component="span" display="block">
      {note}
    </Text>
  </Link>
)
