/**
 * A summary of the coverage: which clusters answered, the age of their rows, and why others are missing.
 */
import { Badge, Box, Collapse, Group, Stack, Table, Text, UnstyledButton } from "@mantine/core"
import { useDisclosure } from "@mantine/hooks"
import type { Coverage } from "../api/Shapes.ts"
import { ScrollTable } from "../feedback/ScrollTable.tsx"
import * as Quantity from "../format/Quantity.ts"
import { answers, COLORS, healthOf, type Rows, summaryOf, troubleOf, wordOf } from "./CoverageText.ts"
import { useNow } from "./useNow.ts"

/** Clusters shown by name. If there are more, clusters with problems come first. */
const SHOWN = 8
/** Reasons shown without opening the details. */
const SHOWN_REASONS = 3

const LIVE = "live"

const RANKS = { missing: 0, incomplete: 1, stale: 2, left: 3, ok: 4 } as const

const SECOND_MS = 1_000

interface Props {
  readonly coverages: ReadonlyArray<Coverage>
  /** Time when the coverages were read. Their age counts from it. **Units** milliseconds since the epoch. */
  readonly readAtMs: number
  /** True if a stream delivers changes. The rows of clusters that answer then have no age. */
  readonly isLive?: boolean
  readonly rows: Rows
}

export const CoverageStrip = ({ coverages: initial, isLive = false, readAtMs, rows }: Props) => {
  const nowMs = useNow(SECOND_MS)
  const elapsedMs = Math.max(0, nowMs - readAtMs)
  const coverages = initial.map((coverage) => ({ ...coverage, ageMs: coverage.ageMs + elapsedMs }))
  const [isOpen, { toggle }] = useDisclosure(false)
  const ranked = coverages.toSorted((a, b) => RANKS[healthOf(a)] - RANKS[healthOf(b)])
  const shown = ranked.slice(0, SHOWN)
  const troubled = ranked.filter((coverage) => healthOf(coverage) !== "ok")
  return (
    <Box component="section" aria-label="Coverage" className="qd-coverage" data-answered={coverages.every(answers)}>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <Text size="sm" fw={600} role="status">
            {summaryOf(coverages)}
            {troubled.length === 0 ? "" : "."}
          </Text>
          {shown.map((coverage) => (
            <ClusterMark key={coverage.name} coverage={coverage} isLive={isLive} nowMs={nowMs} />
          ))}
          {ranked.length > SHOWN ? (
            <Text size="sm" c="dimmed">
              and {Quantity.counted(ranked.length - SHOWN, "other")}
            </Text>
          ) : undefined}
        </Group>
        {coverages.length === 0 ? undefined : (
          <UnstyledButton className="qd-link" onClick={toggle} aria-expanded={isOpen}>
            {isOpen ? "Hide details" : "Details"}
          </UnstyledButton>
        )}
      </Group>
      {troubled.slice(0, SHOWN_REASONS).map((coverage) => (
        <Text key={coverage.name} size="sm" mt={4} className="qd-text">
          <b>{coverage.name}</b>: {troubleOf(coverage, rows, nowMs)}
        </Text>
      ))}
      {troubled.length > SHOWN_REASONS ? (
        <Text size="sm" mt={4} c="dimmed">
          And {Quantity.counted(troubled.length - SHOWN_REASONS, "other cluster")}: see the details.
        </Text>
      ) : undefined}
      <Collapse expanded={isOpen}>
        {isOpen ? <Details coverages={coverages} isLive={isLive} nowMs={nowMs} rows={rows} /> : undefined}
      </Collapse>
    </Box>
  )
}

interface MarkProps {
  readonly coverage: Coverage
  readonly isLive: boolean
  readonly nowMs: number
}

const ClusterMark = ({ coverage, isLive, nowMs }: MarkProps) => {
  const health = healthOf(coverage)
  return (
    <Badge
      variant="transparent"
      color="var(--mantine-color-text)"
      px={0}
      tt="none"
      size="lg"
      fw={500}
      maw="100%"
      data-coverage={coverage.name}
      data-health={health}
      leftSection={<Box className="qd-dot" bg={`${COLORS[health]}.6`} />}
    >
      {coverage.name} {health === "ok" || health === "stale" ? undefined : `${wordOf(coverage)} `}
      {health === "missing" ? undefined : (
        <Text span c="dimmed" size="xs">
          {health === "left" ? endText(coverage, nowMs) : ageText(coverage, isLive)}
        </Text>
      )}
    </Badge>
  )
}

/** Prints the age of a cluster's rows. **Example** `live`, `3 sec old`, `last known, 2 min old` */
const ageText = (coverage: Coverage, isLive: boolean): string => {
  const health = healthOf(coverage)
  if (health === "ok" && isLive) return LIVE
  const age = `${Quantity.duration(coverage.ageMs)} old`
  return health === "stale" ? `last known, ${age}` : age
}

/** Prints the day when the data of a removed cluster ends, in UTC as the days of reports. */
const endText = ({ ageMs }: Coverage, nowMs: number): string =>
  `data until ${new Date(nowMs - ageMs).toISOString().slice(0, 10)}`

const ageOf = ({ coverage, isLive, nowMs }: MarkProps): string => {
  const health = healthOf(coverage)
  if (health === "missing") return Quantity.UNKNOWN
  if (health === "left") return endText(coverage, nowMs)
  return health === "ok" && isLive ? LIVE : Quantity.duration(coverage.ageMs)
}

const Details = ({ coverages, isLive, nowMs, rows }: Omit<Props, "readAtMs"> & { readonly nowMs: number }) => (
  <Stack gap="xs" mt="xs">
    <ScrollTable minWidth={640} label="Coverage, cluster by cluster">
      <Table verticalSpacing={4} aria-label="Coverage of each cluster">
        <Table.Thead>
          <Table.Tr>
            {["Cluster", "Status", "Source", "Age", "Latency", rows, "Why"].map((column) => (
              <Table.Th key={column} scope="col" tt="capitalize">
                {column}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {coverages.map((coverage) => (
            <Table.Tr key={coverage.name}>
              <Table.Td>{coverage.name}</Table.Td>
              <Table.Td>{wordOf(coverage)}</Table.Td>
              <Table.Td>{coverage.source === "live" ? "live query" : "cache"}</Table.Td>
              <Table.Td>{ageOf({ coverage, isLive: isLive === true, nowMs })}</Table.Td>
              <Table.Td>{Quantity.milliseconds(coverage.latencyMs)}</Table.Td>
              <Table.Td>
                {healthOf(coverage) === "missing" ? Quantity.UNKNOWN : Quantity.count(coverage.count)}
              </Table.Td>
              <Table.Td className="qd-text">
                {coverage.error === undefined
                  ? troubleOf(coverage, rows, nowMs)
                  : `${coverage.error.message} (${coverage.error.code})`}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </ScrollTable>
  </Stack>
)
