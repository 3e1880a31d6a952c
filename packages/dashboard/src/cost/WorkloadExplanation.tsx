/**
 * Explanation of a workload's cost: hours, quantities and prices.
 */
import { Badge, Group, Stack, Table, Text, Title } from "@mantine/core"
import { useQuery } from "@tanstack/react-query"
import { ApiFailure } from "../api/Client.ts"
import {
  type CostWindow,
  type ExplainedStep,
  type Explanation,
  explanationQuery,
  type WorkloadCost
} from "../api/CostQueries.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Loading } from "../feedback/PageState.tsx"
import { ScrollTable } from "../feedback/ScrollTable.tsx"
import * as Quantity from "../format/Quantity.ts"
import { type Part, type PartQuantity, PartsTable } from "./PartsTable.tsx"

interface Props {
  readonly cluster: WorkloadCost["cluster"]
  readonly id: string
  readonly window: CostWindow
}

const SOURCES: Readonly<Record<ExplainedStep["source"], string>> = {
  usage: "requests and usage",
  partial: "requests and partial usage",
  requests: "requests only"
}

const GIB = 1_073_741_824

export const WorkloadExplanation = ({ cluster, id, window }: Props) => {
  const explained = useQuery(explanationQuery(cluster, id, window))
  if (explained.error instanceof ApiFailure) {
    return <FailureAlert failure={explained.error} onRetry={() => void explained.refetch()} />
  }
  if (explained.data === undefined) return <Loading what="the explanation" />
  const { currency, hours, row, stepSize } = explained.data
  return (
    <Stack gap="md">
      <PartsTable costs={row} currency={currency} quantities={quantitiesOf(explained.data)} />
      <Text size="sm">
        The workload existed for {Quantity.hours(row.hoursExisted)} of this period, and the server saw it for{" "}
        {Quantity.hours(row.hoursCovered)}; the rest is not included. Each hour is charged for requests or usage,
        whichever is more, at the prices of that hour.
      </Text>
      <Title order={3} size="h5">
        {stepSize === "hour" ? "Cost by hour" : "Cost by day"}
      </Title>
      <ScrollTable minWidth={460} maxHeight={420} label="Cost by step">
        <Table stickyHeader verticalSpacing={4} aria-label="Cost by step">
          <Table.Thead>
            <Table.Tr>
              <Table.Th scope="col">{stepSize === "hour" ? "Hour, UTC" : "Day, UTC"}</Table.Th>
              <Table.Th scope="col" ta="right">
                CPU
              </Table.Th>
              <Table.Th scope="col" ta="right">
                Memory
              </Table.Th>
              <Table.Th scope="col">Based on</Table.Th>
              <Table.Th scope="col" ta="right">
                Cost
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {hours.toReversed().map((step) => (
              <StepRow key={step.start} step={step} stepSize={stepSize} currency={currency} />
            ))}
          </Table.Tbody>
        </Table>
      </ScrollTable>
    </Stack>
  )
}

interface StepProps {
  readonly step: ExplainedStep
  readonly stepSize: Explanation["stepSize"]
  readonly currency: string
}

const StepRow = ({ currency, step, stepSize }: StepProps) => (
  <Table.Tr>
    <Table.Td className="qd-number">{timeOf(step.start, stepSize)}</Table.Td>
    <Table.Td ta="right" className="qd-number">
      {number(step.quantities.cpuCoreHours)} core-h
    </Table.Td>
    <Table.Td ta="right" className="qd-number">
      {number(step.quantities.memoryByteHours / GIB)} GiB-h
    </Table.Td>
    <Table.Td>
      <Group gap={4}>
        {SOURCES[step.source]}
        {step.open === true ? <Mark text="still open" /> : undefined}
        {step.priceChange === undefined ? undefined : <Mark text="price changed" />}
      </Group>
    </Table.Td>
    <Table.Td ta="right" className="qd-number">
      {Quantity.money(step.totalCost, currency)}
    </Table.Td>
  </Table.Tr>
)

const Mark = ({ text }: { readonly text: string }) => (
  <Badge size="sm" variant="outline" tt="none" miw="max-content">
    {text}
  </Badge>
)

const timeOf = (start: string, stepSize: Explanation["stepSize"]): string =>
  new Intl.DateTimeFormat(undefined, {
    dateStyle: "medium",
    ...(stepSize === "hour" ? { timeStyle: "short" } : {}),
    timeZone: "UTC"
  }).format(Date.parse(start))

const format = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 4 })
const number = (value: number): string => format.format(value)

/** Returns the quantity and the mean price of each part. */
const quantitiesOf = ({ currency, hours, row }: Explanation): Readonly<Record<Part, PartQuantity>> => {
  const sum = (of: (quantities: ExplainedStep["quantities"]) => number) =>
    hours.reduce((total, { quantities }) => total + of(quantities), 0)
  const part = (cost: number, quantity: number, unit: string): PartQuantity => ({
    quantity: `${number(quantity)} ${unit}`,
    price: quantity === 0 ? Quantity.UNKNOWN : `${Quantity.money(cost / quantity, currency)} / ${unit}`
  })
  const egress = sum((one) => one.zoneEgressBytes + one.regionEgressBytes + one.internetEgressBytes)
  return {
    cpuCost: part(
      row.cpuCost,
      sum((one) => one.cpuCoreHours),
      "core-h"
    ),
    memoryCost: part(row.memoryCost, sum((one) => one.memoryByteHours) / GIB, "GiB-h"),
    gpuCost: part(
      row.gpuCost,
      sum((one) => one.gpuHours),
      "GPU-h"
    ),
    storageCost: part(row.storageCost, sum((one) => one.storageByteHours) / GIB, "GiB-h"),
    networkCost: part(row.networkCost, egress / GIB, "GiB"),
    loadBalancerCost: part(
      row.loadBalancerCost,
      sum((one) => one.loadBalancerHours),
      "h"
    )
  }
}
