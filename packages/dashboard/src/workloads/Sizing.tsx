/**
 * Requests, usage and recommendation of one replica.
 */
import { Paper, Stack, Table, Text, Title } from "@mantine/core"
import type { ExplainedStep, Explanation } from "../api/CostQueries.ts"
import type { Workload } from "../api/WorkloadQueries.ts"
import { manifestOf } from "../format/RequestManifest.ts"
import { CopyText } from "../feedback/CopyText.tsx"
import { ScrollTable } from "../feedback/ScrollTable.tsx"
import * as Quantity from "../format/Quantity.ts"

interface Usage {
  readonly cpuMillis: number
  readonly memoryBytes: number
}

/** Returns the mean usage of one replica. **Shape** `undefined` if no step has complete usage data. */
const usageOf = (steps: ReadonlyArray<ExplainedStep>): Usage | undefined => {
  const known = steps.filter(({ source }) => source === "usage")
  const replicaHours = known.reduce((sum, { quantities }) => sum + quantities.replicaHours, 0)
  if (replicaHours === 0) return undefined
  const used = (field: "cpuUsedCoreHours" | "memoryUsedByteHours") =>
    known.reduce((sum, { quantities }) => sum + quantities[field], 0) / replicaHours
  return { cpuMillis: used("cpuUsedCoreHours") * 1_000, memoryBytes: used("memoryUsedByteHours") }
}

interface Props {
  readonly workload: Workload
  readonly explanation: Explanation | undefined
}

export const Sizing = ({ explanation, workload }: Props) => {
  const { cpuLimitMillis, cpuRequestMillis, memoryLimitBytes, memoryRequestBytes, replicas } = workload
  const row = explanation?.row
  const usage = explanation === undefined ? undefined : usageOf(explanation.hours)
  const money = (amount: number) => Quantity.money(amount, explanation?.currency ?? "USD")
  const isRecommended = row !== undefined && row.recommendationDays > 0
  const each = (value: number): number | undefined => (replicas.desired === 0 ? undefined : value / replicas.desired)
  const limit = (value: number): number | undefined => (value === 0 ? undefined : each(value))
  const lines = [
    {
      name: "CPU",
      print: Quantity.cpu,
      requested: each(cpuRequestMillis),
      limit: limit(cpuLimitMillis),
      used: usage?.cpuMillis,
      recommended: isRecommended ? row.cpuRecommendedMillis : undefined
    },
    {
      name: "Memory",
      print: Quantity.bytes,
      requested: each(memoryRequestBytes),
      limit: limit(memoryLimitBytes),
      used: usage?.memoryBytes,
      recommended: isRecommended ? row.memoryRecommendedBytes : undefined
    }
  ]
  return (
    <Stack gap="xs" component="section" aria-label="Requests, usage and recommendation">
      <Title order={2} size="h4">
        One replica
      </Title>
      <Paper withBorder>
        <ScrollTable minWidth={460} label="Sizes of one replica">
          <Table horizontalSpacing="md" aria-label="Requests, usage and recommendation">
            <Table.Thead>
              <Table.Tr>
                {["", "Requested", "Limit", "Mean usage, 7 days", "Recommended"].map((title) => (
                  <Table.Th key={title} scope="col">
                    {title}
                  </Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {lines.map(({ limit, name, print, recommended, requested, used }) => (
                <Table.Tr key={name}>
                  <Table.Th scope="row">{name}</Table.Th>
                  <Figure>{print(requested)}</Figure>
                  <Figure>{print(limit)}</Figure>
                  <Figure>{print(used)}</Figure>
                  <Figure>{print(recommended)}</Figure>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </ScrollTable>
      </Paper>
      {isRecommended ? (
        <>
          <Text size="sm" c="dimmed">
            Based on {Quantity.counted(Math.round(row.recommendationDays), "day")} of usage, all containers of a replica
            together. These requests would have saved {money(row.savingsAvailable)} in the last 7 days
            {row.costIncrease > 0
              ? `, and would have cost up to ${money(row.costIncrease)} more where the workload requests less than it needs`
              : ""}
            .
          </Text>
          <CopyText text={manifestOf(row)} label="Copy the recommended requests" />
        </>
      ) : (
        <Text size="sm" c="dimmed">
          No recommendation yet. It needs usage data, which the server reads from metrics.k8s.io or Prometheus.
        </Text>
      )}
    </Stack>
  )
}

const Figure = ({ children }: { readonly children: string }) => <Table.Td className="qd-number">{children}</Table.Td>
