/**
 * The containers of a workload: image, requests, limits, ports and restarts.
 */
import { Code, Stack, Table, Text, Title } from "@mantine/core"
import type { WorkloadDetail } from "../api/WorkloadQueries.ts"
import { ScrollTable } from "../feedback/ScrollTable.tsx"
import * as Quantity from "../format/Quantity.ts"

type Container = WorkloadDetail["containers"][number]

/** Minimum width of the table, in pixels. */
const MIN_WIDTH = 760

export const Containers = ({ containers }: Pick<WorkloadDetail, "containers">) => (
  <Stack gap="xs" component="section" aria-label="Containers">
    <Title order={2} size="h5">
      Containers
    </Title>
    <ScrollTable minWidth={MIN_WIDTH} label="Containers">
      <Table aria-label="Containers" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            {["Name", "Image", "CPU", "Memory", "Ports", "Restarts"].map((title) => (
              <Table.Th key={title} scope="col">
                {title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {containers.map((container) => (
            <Table.Tr key={container.name}>
              <Table.Td className="qd-text">{container.name}</Table.Td>
              <Table.Td className="qd-text">
                <Code>{container.image}</Code>
              </Table.Td>
              <Table.Td>
                <Amount requested={container.cpuRequestMillis} limit={container.cpuLimitMillis} print={Quantity.cpu} />
              </Table.Td>
              <Table.Td>
                <Amount
                  requested={container.memoryRequestBytes}
                  limit={container.memoryLimitBytes}
                  print={Quantity.bytes}
                />
              </Table.Td>
              <Table.Td className="qd-text">{portsText(container)}</Table.Td>
              <Table.Td className="qd-number">{Quantity.count(container.restarts)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollTable>
  </Stack>
)

interface AmountProps {
  readonly requested: number
  readonly limit: number
  readonly print: (value: number) => string
}

const Amount = ({ limit, print, requested }: AmountProps) => (
  <>
    <span className="qd-number">{requested === 0 ? "none requested" : `${print(requested)} requested`}</span>
    <Text size="xs" c="dimmed" className="qd-number">
      {limit === 0 ? "no limit" : `limit ${print(limit)}`}
    </Text>
  </>
)

const portsText = ({ ports }: Container): string =>
  ports.map(({ name, port, protocol }) => `${name === undefined ? "" : `${name} `}${port}/${protocol}`).join(", ")
  || Quantity.UNKNOWN
