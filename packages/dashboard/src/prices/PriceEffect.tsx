/**
 * Costs of the last seven days by a draft of the price book.
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

/** Pause in typing before the effect is requested. The server recomputes every hour of a week for it. */
const PAUSE_MS = 800

const ROWS = [
  ["All workloads", "totalCost"],
  ["CPU", "cpuCost"],
  ["Memory", "memoryCost"],
  ["GPU", "gpuCost"],
  ["Storage", "storageCost"],
  ["Network", "networkCost"],
  ["Load balancers", "loadBalancerCost"],
  ["Idle and other costs without a workload", "idleCost"]
] as const

export const PriceEffect = ({ book, currencyAfter, currencyBefore }: Props) => {
  const [settledBook] = useDebouncedValue(book, PAUSE_MS)
  const effect = useQuery({ ...priceEffectQuery(settledBook), placeholderData: keepPreviousData })
  const { data, error } = effect
  const isSettled =
    !effect.isPlaceholderData && !effect.isFetching && JSON.stringify(settledBook) === JSON.stringify(book)
  return (
    <Stack gap="xs" component="section" aria-label="Effect on costs" aria-busy={!isSettled} className="qd-answer">
      <Title order={2} size="h4">
        Effect on costs
      </Title>
      <Text size="sm" c="dimmed">
        Costs of the last 7 days in all clusters by the current prices and by the edited ones, as if each had applied
        all the time. A price with a start of validity applies from then on.
      </Text>
      {error instanceof ApiFailure ? <Refusal failure={error} onRetry={() => void effect.refetch()} /> : undefined}
      {data === undefined && error === null ? <Loading what="the effect" /> : undefined}
      {data === undefined || error !== null ? undefined : (
        <ScrollTable minWidth={320} label="Effect by part">
          <Table verticalSpacing={4} horizontalSpacing={6} aria-label="Effect by part">
            <Table.Thead>
              <Table.Tr>
                {["Part", "Current prices", "Edited prices", "Change"].map((title, place) => (
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

/** The failure of a preview. If the server would refuse to save the book, this is a note instead of an alert. */
const Refusal = ({ failure, onRetry }: { readonly failure: ApiFailure; readonly onRetry: () => void }) =>
  failure.status === 400 || failure.status === 409 ? (
    <Text size="sm" role="status" className="qd-text">
      The prices cannot be saved: {failure.message}.
    </Text>
  ) : (
    <FailureAlert failure={failure} onRetry={onRetry} />
  )
