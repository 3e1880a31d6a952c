/**
 * Data of the chart of costs over time.
 */
import type { CostBucket, CostSteps, ExplainedStep, Explanation } from "../api/CostQueries.ts"
import { besideOf, keyOf, nameOf } from "./CostLabels.ts"

export interface ChartSeries {
  readonly key: string
  readonly name: string
  /** True for costs without a workload, which have their own colours. */
  readonly isBeside: boolean
}

export interface ChartStep {
  readonly startMs: number
  readonly endMs: number
  /** Costs by series, in their order. */
  readonly values: ReadonlyArray<number>
  readonly total: number
  /** Share of the step in which the server saw the clusters, from 0 to 1. */
  readonly coveredShare: number
  /** Clusters with gaps in their coverage. */
  readonly unseen: ReadonlyArray<{ readonly name: string; readonly hours: number }>
}

export interface ChartData {
  readonly series: ReadonlyArray<ChartSeries>
  readonly steps: ReadonlyArray<ChartStep>
}

/** Key of the series that sums all other groups. */
export const OTHER_KEY = "other"
const OTHER: ChartSeries = { key: OTHER_KEY, name: "All others", isBeside: false }

/** Smaller gaps are rounding, or the current minute. **Units** hours. */
const NOTICED_HOURS = 0.05

const totalOf = ({ rows }: Pick<CostBucket, "rows">): number => rows.reduce((sum, { totalCost }) => sum + totalCost, 0)

/**
 * Aligns the groups of each step, and adds a series for all other groups.
 *
 * **Shape** `whole` has the same steps with the sum of all groups. A step that is missing in either reply is omitted.
 */
export const chartDataOf = (parts: CostSteps, whole: CostSteps): ChartData => {
  const found = new Map<string, ChartSeries>()
  for (const { rows } of parts.buckets) {
    for (const row of rows) {
      const key = keyOf(row)
      if (!found.has(key)) found.set(key, { key, name: nameOf(row), isBeside: besideOf(row) !== undefined })
    }
  }
  const sums = new Map<string, number>()
  for (const row of parts.buckets.flatMap(({ rows }) => rows)) {
    sums.set(keyOf(row), (sums.get(keyOf(row)) ?? 0) + row.totalCost)
  }
  const ranked = [...found.values()].toSorted((a, b) => (sums.get(b.key) ?? 0) - (sums.get(a.key) ?? 0))
  const byStart = new Map(parts.buckets.map((bucket) => [bucket.start, bucket]))
  const steps = whole.buckets.flatMap((bucket): ReadonlyArray<ChartStep> => {
    const bucketParts = byStart.get(bucket.start)
    if (bucketParts === undefined) return []
    const costs = new Map(bucketParts.rows.map((row) => [keyOf(row), row.totalCost]))
    const values = ranked.map(({ key }) => costs.get(key) ?? 0)
    const total = totalOf(bucket)
    const rest = total - values.reduce((sum, value) => sum + value, 0)
    return [{ ...coverageOf(bucket), ...spanOf(bucket), values: [...values, rest], total }]
  })
  // A remainder that comes from rounding gets no series.
  const hasOthers = steps.some(({ total, values }) => Math.abs(values.at(-1) ?? 0) > Math.abs(total) * 1e-6)
  return hasOthers
    ? { series: [...ranked, OTHER], steps }
    : { series: ranked, steps: steps.map((step) => ({ ...step, values: step.values.slice(0, -1) })) }
}

const spanOf = ({ end, start }: CostBucket) => ({ startMs: Date.parse(start), endMs: Date.parse(end) })

const coverageOf = ({ clusters }: CostBucket): Pick<ChartStep, "coveredShare" | "unseen"> => {
  const hours = clusters.reduce((sum, { hoursInWindow }) => sum + hoursInWindow, 0)
  const covered = clusters.reduce((sum, { hoursCovered }) => sum + hoursCovered, 0)
  return {
    coveredShare: hours === 0 ? 1 : covered / hours,
    unseen: clusters.flatMap(({ hoursCovered, hoursInWindow, name }) =>
      hoursInWindow - hoursCovered > NOTICED_HOURS ? [{ name, hours: hoursInWindow - hoursCovered }] : []
    )
  }
}

const PARTS = [
  ["cpuCost", "CPU"],
  ["memoryCost", "Memory"],
  ["gpuCost", "GPU"],
  ["storageCost", "Storage"],
  ["networkCost", "Network"],
  ["loadBalancerCost", "Load balancers"]
] as const

const DAY_MS = 86_400_000

/**
 * Sums a workload's cost by UTC day and by part of the cost.
 *
 * **Shape** the coverage of a day is the share of the workload's existence in which the server saw it.
 */
export const historyOf = ({ hours, row, window }: Explanation): ChartData => {
  const parts = PARTS.filter(([field]) => row[field] !== 0)
  const firstMs = Math.floor(Date.parse(window.start) / DAY_MS) * DAY_MS
  const days = Math.max(1, Math.ceil((Date.parse(window.end) - firstMs) / DAY_MS))
  const steps = Array.from({ length: days }, (_, day): ChartStep => {
    const startMs = firstMs + day * DAY_MS
    const dayHours = hours.filter(({ start }) => Math.floor(Date.parse(start) / DAY_MS) * DAY_MS === startMs)
    const sum = (of: (step: ExplainedStep) => number): number => dayHours.reduce((total, step) => total + of(step), 0)
    const existed = sum(({ quantities }) => quantities.hoursExisted)
    const covered = sum(({ quantities }) => quantities.hoursCovered)
    return {
      startMs,
      endMs: startMs + DAY_MS,
      values: parts.map(([field]) => sum((step) => step[field])),
      total: sum(({ totalCost }) => totalCost),
      coveredShare: existed === 0 ? 1 : covered / existed,
      unseen: existed - covered > NOTICED_HOURS ? [{ name: row.cluster, hours: existed - covered }] : []
    }
  })
  return { series: parts.map(([key, name]) => ({ key, name, isBeside: false })), steps }
}
