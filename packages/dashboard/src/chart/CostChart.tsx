/**
 * A stacked chart of costs over time. Gaps in the coverage are hatched.
 */
import { Box, Group, Stack, Table, Text, UnstyledButton } from "@mantine/core"
import { useDisclosure, useElementSize, useId } from "@mantine/hooks"
import { scaleBand, scaleLinear } from "d3-scale"
import { stack, stackOffsetDiverging } from "d3-shape"
import { type KeyboardEvent, useState } from "react"
import { ScrollTable } from "../feedback/ScrollTable.tsx"
import * as Quantity from "../format/Quantity.ts"
import { type ChartData, type ChartSeries, type ChartStep, OTHER_KEY } from "./ChartData.ts"

/** Sizes of the chart, in pixels. */
const HEIGHT = 260
const MARGIN = { top: 8, right: 4, bottom: 24, left: 64 }
const MIN_LABEL_WIDTH = 64
const TICKS = 4
/** Steps with less coverage are marked as not fully covered. */
const FULL_COVERAGE = 0.995

interface Props {
  readonly data: ChartData
  readonly currency: string
  readonly stepSize: "hour" | "day" | "week"
}

export const CostChart = ({ currency, data, stepSize }: Props) => {
  const { ref, width } = useElementSize()
  const [active, setActive] = useState<number>()
  const [isTable, { toggle }] = useDisclosure(false)
  const { steps } = data
  const shown = active === undefined ? undefined : steps[Math.min(active, steps.length - 1)]
  const press = (event: KeyboardEvent) => {
    const last = steps.length - 1
    const moves: Readonly<Record<string, number>> = {
      ArrowRight: Math.min(last, (active ?? -1) + 1),
      ArrowLeft: Math.max(0, (active ?? last + 1) - 1),
      Home: 0,
      End: last
    }
    const next = moves[event.key]
    if (next === undefined) return
    event.preventDefault()
    setActive(next)
  }
  return (
    <Stack gap="xs">
      <Box
        ref={ref}
        tabIndex={0}
        role="group"
        aria-label="Costs over time. Use the arrow keys to choose a step."
        onKeyDown={press}
        onMouseLeave={() => setActive(undefined)}
        className="qd-chart"
      >
        <Drawing
          data={data}
          currency={currency}
          stepSize={stepSize}
          width={width}
          active={active}
          onActive={setActive}
        />
      </Box>
      <Legend data={data} step={shown} currency={currency} stepSize={stepSize} />
      <Group>
        <UnstyledButton className="qd-link" onClick={toggle} aria-expanded={isTable}>
          {isTable ? "Hide the table" : "Show as a table"}
        </UnstyledButton>
      </Group>
      {isTable ? <StepTable data={data} currency={currency} stepSize={stepSize} /> : undefined}
    </Stack>
  )
}

interface DrawingProps extends Props {
  readonly width: number
  readonly active: number | undefined
  readonly onActive: (index: number) => void
}

const COLORS = 8
const GREYS = 3

/** Returns the colour class of a group. Costs without a workload, and all other groups, are grey. */
const classOf = ({ series }: ChartData, index: number): string => {
  const isGrey = (one: ChartSeries | undefined): boolean => one?.isBeside === true || one?.key === OTHER_KEY
  const grey = isGrey(series[index])
  const place = series.slice(0, index).filter((one) => isGrey(one) === grey).length
  return grey ? `qd-series-grey-${place % GREYS}` : `qd-series-${place % COLORS}`
}

const Drawing = ({ active, currency, data, onActive, stepSize, width }: DrawingProps) => {
  const hatch = useId()
  const { series, steps } = data
  const right = Math.max(width - MARGIN.right, MARGIN.left + 1)
  const bottom = HEIGHT - MARGIN.bottom
  const x = scaleBand(
    steps.map((_, index) => index),
    [MARGIN.left, right]
  ).padding(steps.length > 60 ? 0.05 : 0.2)
  const layers = stack<ChartStep, number>()
    .keys(series.map((_, index) => index))
    .value((step, index) => step.values[index] ?? 0)
    .offset(stackOffsetDiverging)([...steps])
  const ends = layers.flatMap((layer) => layer.flatMap(([low, high]) => [low, high]))
  const y = scaleLinear([Math.min(0, ...ends), Math.max(0, ...ends) || 1], [bottom, MARGIN.top]).nice(TICKS)
  const every = Math.max(1, Math.ceil(MIN_LABEL_WIDTH / Math.max(1, x.step())))
  return (
    <svg width={width} height={HEIGHT} role="img" aria-label={summaryOf(data, currency)}>
      <defs>
        <pattern id={hatch} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line x1="0" y1="0" x2="0" y2="6" className="qd-hatch" />
        </pattern>
      </defs>
      {y.ticks(TICKS).map((tick) => (
        <g key={tick} transform={`translate(0,${y(tick)})`}>
          <line x1={MARGIN.left} x2={right} className="qd-grid" />
          <text x={MARGIN.left - 8} dy="0.32em" textAnchor="end" className="qd-axis">
            {Quantity.money(tick, currency)}
          </text>
        </g>
      ))}
      {steps.map((step, index) =>
        step.coveredShare >= FULL_COVERAGE ? undefined : (
          <rect
            key={step.startMs}
            x={(x(index) ?? 0) - (x.step() - x.bandwidth()) / 2}
            width={x.step()}
            y={MARGIN.top}
            height={(bottom - MARGIN.top) * (1 - step.coveredShare)}
            fill={`url(#${hatch})`}
            data-not-covered={step.startMs}
          />
        )
      )}
      {layers.map((layer, place) => (
        <g key={series[place]?.key} className={classOf(data, place)}>
          {layer.map(([low, high], index) => (
            <rect
              key={steps[index]?.startMs}
              x={x(index)}
              width={x.bandwidth()}
              y={y(high)}
              height={Math.max(0, y(low) - y(high))}
              opacity={active === undefined || active === index ? 1 : 0.55}
            />
          ))}
        </g>
      ))}
      <line x1={MARGIN.left} x2={right} y1={y(0)} y2={y(0)} className="qd-zero" />
      {steps.map((step, index) => (
        <g key={step.startMs}>
          {index % every === 0 ? (
            <text x={(x(index) ?? 0) + x.bandwidth() / 2} y={HEIGHT - 6} textAnchor="middle" className="qd-axis">
              {shortTimeOf(step, stepSize)}
            </text>
          ) : undefined}
          <rect
            x={(x(index) ?? 0) - (x.step() - x.bandwidth()) / 2}
            width={x.step()}
            y={MARGIN.top}
            height={bottom - MARGIN.top}
            fill="transparent"
            onMouseEnter={() => onActive(index)}
            onClick={() => onActive(index)}
          />
        </g>
      ))}
    </svg>
  )
}

const summaryOf = ({ series, steps }: ChartData, currency: string): string => {
  const total = steps.reduce((sum, step) => sum + step.total, 0)
  const unseen = steps.filter(({ coveredShare }) => coveredShare < FULL_COVERAGE).length
  const gap = unseen === 0 ? "" : `; ${Quantity.counted(unseen, "step")} not fully covered`
  return `${Quantity.money(total, currency)} in ${Quantity.counted(steps.length, "step")}, of ${Quantity.counted(series.length, "group")}${gap}`
}

// Steps start at UTC hours and days, so their labels are in UTC.
const shortTimeOf = ({ startMs }: ChartStep, stepSize: Props["stepSize"]): string =>
  new Intl.DateTimeFormat(
    undefined,
    stepSize === "hour"
      ? { hour: "2-digit", minute: "2-digit", timeZone: "UTC" }
      : { month: "short", day: "numeric", timeZone: "UTC" }
  ).format(startMs)

const longTimeOf = ({ startMs }: ChartStep, stepSize: Props["stepSize"]): string => {
  const text = new Intl.DateTimeFormat(undefined, {
    dateStyle: "medium",
    ...(stepSize === "hour" ? { timeStyle: "short" } : {}),
    timeZone: "UTC"
  }).format(startMs)
  return `${stepSize === "week" ? "week from " : ""}${text} UTC`
}

interface LegendProps extends Props {
  /** The active step. Without one the legend shows sums. */
  readonly step: ChartStep | undefined
}

const Legend = ({ currency, data, step, stepSize }: LegendProps) => {
  const { series, steps } = data
  const valueOf = (index: number): number =>
    step === undefined ? steps.reduce((sum, { values }) => sum + (values[index] ?? 0), 0) : (step.values[index] ?? 0)
  const total = step === undefined ? steps.reduce((sum, one) => sum + one.total, 0) : step.total
  return (
    <Stack gap={6} aria-live="polite">
      <Text size="sm" fw={600}>
        {step === undefined ? "Total" : longTimeOf(step, stepSize)}: {Quantity.money(total, currency)}
      </Text>
      <Group gap="sm">
        {series.map(({ key, name }, index) => (
          <Group key={key} gap={6} wrap="nowrap">
            <svg width={12} height={12} className={classOf(data, index)} aria-hidden="true">
              <rect width={12} height={12} rx={2} />
            </svg>
            <Text size="sm" className="qd-text">
              {name}{" "}
              <Text span size="sm" c="dimmed" className="qd-number">
                {Quantity.money(valueOf(index), currency)}
              </Text>
            </Text>
          </Group>
        ))}
        <NotCovered steps={step === undefined ? steps : [step]} />
      </Group>
    </Stack>
  )
}

const NotCovered = ({ steps }: { readonly steps: ReadonlyArray<ChartStep> }) => {
  const hatch = useId()
  const hours = new Map<string, number>()
  for (const one of steps.flatMap(({ unseen }) => unseen)) hours.set(one.name, (hours.get(one.name) ?? 0) + one.hours)
  if (hours.size === 0) return undefined
  const text = [...hours].map(([name, value]) => `${name} ${Quantity.hours(value)}`).join(", ")
  return (
    <Group gap={6} wrap="nowrap">
      <svg width={12} height={12} aria-hidden="true">
        <pattern id={hatch} width="4" height="4" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
          <line x1="0" y1="0" x2="0" y2="4" className="qd-hatch" />
        </pattern>
        <rect width={12} height={12} fill={`url(#${hatch})`} className="qd-hatch-box" />
      </svg>
      <Text size="sm" className="qd-text">
        Not covered{" "}
        <Text span size="sm" c="dimmed">
          {text}
        </Text>
      </Text>
    </Group>
  )
}

const StepTable = ({ currency, data: { series, steps }, stepSize }: Props) => (
  <ScrollTable minWidth={500} maxHeight={420} label="Costs by step">
    <Table stickyHeader aria-label="Costs by step" verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">Step</Table.Th>
          {series.map(({ key, name }) => (
            <Table.Th key={key} scope="col" ta="right">
              {name}
            </Table.Th>
          ))}
          <Table.Th scope="col" ta="right">
            Total
          </Table.Th>
          <Table.Th scope="col" ta="right">
            Covered
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {steps.map((step) => (
          <Table.Tr key={step.startMs}>
            <Table.Td className="qd-number">{longTimeOf(step, stepSize)}</Table.Td>
            {series.map(({ key }, index) => (
              <Table.Td key={key} ta="right" className="qd-number">
                {Quantity.money(step.values[index], currency)}
              </Table.Td>
            ))}
            <Table.Td ta="right" className="qd-number">
              {Quantity.money(step.total, currency)}
            </Table.Td>
            <Table.Td ta="right" className="qd-number">
              {Quantity.percent(step.coveredShare)}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </ScrollTable>
)
