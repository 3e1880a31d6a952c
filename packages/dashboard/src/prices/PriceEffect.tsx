/**
 * What the last seven days would have cost by a price book that is not saved yet.
 */
import { Stack, Table, Text, Title } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { keepPreviousData, useQuery } from "@tanstack/react-query"
import { ApiFailure } from "../api/Client.ts"
import { priceEffectQuery } from "../api/PriceQueries.ts"
import { FailureAlert } from "../feedback/FailureAlert.tsx"
import { Loading } from "../feedback/PageState.tsx"
import { ScrollTable } from "../feedback/ScrollTable.tsx"
import * as Quantity from "../format/Quantity.ts"

interface Props {
  readonly book: object
  readonly currencyBefore: string
  readonly currencyAfter: string
}

/** The server prices every hour of a week for it: typing that goes on is no question yet. */
const PAUSE_MS = 800

const ROWS = [
  ["All workloads", "totalCost"],
  ["CPU", "cpuCost"],
  ["Memory", "memoryCost"],
  ["GPU", "gpuCost"],
  ["Storage", "storageCost"],
  ["Network", "networkCost"],
  ["Load balancers", "loadBalancerCost"],
  ["Of no workload: idle machines and the like", "idleCost"]
] as const

export const PriceEffect = ({ book, currencyAfter, currencyBefore }: Props) => {
  const [asked] = useDebouncedValue(book, PAUSE_MS)
  const effect = useQuery({ ...priceEffectQuery(asked), placeholderData: keepPreviousData })
  const { data, error } = effect
  const isSettled = !effect.isPlaceholderData && !effect.isFetching && JSON.stringify(asked) === JSON.stringify(book)
  return (
    <Stack
      gap="xs"
      component="section"
      aria-label="What it would have cost"
      aria-busy={!isSettled}
      className="qd-answer"
    >
      <Title order={2} size="h4">
        What it would have cost
      </Title>
      <Text size="sm" c="dimmed">
        The last 7 days in all clusters by the present prices and by these, as if each had counted all the time. A price
        with a beginning counts from then on.
      </Text>
      {error instanceof ApiFailure ? <Refusal failure={error} onRetry={() => void effect.refetch()} /> : undefined}
      {data === undefined && error === null ? <Loading what="the effect" /> : undefined}
      {data === undefined || error !== null ? undefined : (
        <ScrollTable minWidth={320} label="The effect, part by part">
          <Table verticalSpacing={4} horizontalSpacing={6} aria-label="The effect">
            <Table.Thead>
              <Table.Tr>
                {["Cost of", "Present", "These", "Change"].map((title, place) => (
                  <Table.Th key={title} scope="col" ta={place === 0 ? "start" : "end"}>
                    {title}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {ROWS.map(([name, part]) => (
                <Table.Tr key={part}>
                  <Table.Th scope="row" fw={part === "totalCost" ? 650 : 500}>
                    {name}
                  </Table.Th>
                  <Table.Td className="qd-number" ta="end">
                    {Quantity.money(data.before[part], currencyBefore)}
                  </Table.Td>
                  <Table.Td className="qd-number" ta="end">
                    {Quantity.money(data.after[part], currencyAfter)}
                  </Table.Td>
                  <Table.Td className="qd-number" ta="end">
                    {currencyBefore === currencyAfter
                      ? Quantity.change(data.after[part], data.before[part])
                      : Quantity.UNKNOWN}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollTable>
      )}
    </Stack>
  )
}

/** A book that the server would not take is told by what saving it says; here it has no effect yet. */
const Refusal = ({ failure, onRetry }: { readonly failure: ApiFailure; readonly onRetry: () => void }) =>
  failure.status === 400 || failure.status === 409 ? (
    <Text size="sm" role="status" className="qd-text">
      As it stands it cannot be saved: {failure.message}.
    </Text>
  ) : (
    <FailureAlert failure={failure} onRetry={onRetry} />
  )
