/**
 * Savings by workload: the possible savings per month, the unused workloads, and the workloads without a recommendation
 * yet.
 */
import type { PresentWorkload, WorkloadCost, WorkloadCosts } from "../api/CostQueries.ts"

/** Hours of a month, as in OpenCost. */
const MONTH_HOURS = 730
const WEEK_HOURS = 7 * 24

/** A workload below this share of its requests counts as unused. */
const MAX_UNUSED = 0.05
/** Minimum share of the time in which usage must be known, so that a workload can count as unused. */
const MIN_KNOWN = 0.95
/** Savings below this share of all savings are small. */
const SMALL = 0.01

/** Requests of one replica. **Units** thousandths of a core, and bytes. */
export interface Requests {
  readonly cpuMillis: number
  readonly memoryBytes: number
}

/**
 * A workload with its savings.
 *
 * **Shape** `monthly` is undefined as long as nothing is recommended. `monthlyCost` is undefined if its cluster was not
 * seen in the period. `requests` and `labels` are the present ones, undefined if the workload is not running now.
 */
export interface SavingsRow {
  readonly row: WorkloadCost
  readonly monthly: number | undefined
  readonly monthlyCost: number | undefined
  readonly requests: Requests | undefined
  readonly labels: Readonly<Record<string, string>> | undefined
  readonly isUnused: boolean
}

const requestsOf = ({ cpuRequestMillis, memoryRequestBytes, replicas }: PresentWorkload): Requests | undefined =>
  replicas.desired === 0
    ? undefined
    : { cpuMillis: cpuRequestMillis / replicas.desired, memoryBytes: memoryRequestBytes / replicas.desired }

/** Returns true if usage was known for a week and stayed below 5 % of the requests of CPU and of memory. */
const isUnused = (row: WorkloadCost): boolean => {
  const { cpuEfficiency, memoryEfficiency } = row
  if (row.hoursCovered < WEEK_HOURS * MIN_KNOWN || cpuEfficiency === null || memoryEfficiency === null) return false
  const isKnown =
    row.cpuRequestedCoreHours > 0
    && row.memoryRequestedByteHours > 0
    && row.cpuRequestedCoreHours >= MIN_KNOWN * row.cpuCoreHours
    && row.memoryRequestedByteHours >= MIN_KNOWN * row.memoryByteHours
  return isKnown && cpuEfficiency < MAX_UNUSED && memoryEfficiency < MAX_UNUSED
}

/** Makes the rows, the largest savings first, then those that are not known yet by cost. */
export const rowsOf = (
  { aggregatedWorkloads, clusters }: Pick<WorkloadCosts, "aggregatedWorkloads" | "clusters">,
  present: ReadonlyArray<PresentWorkload>
): ReadonlyArray<SavingsRow> => {
  const byId = new Map(present.map((one) => [[one.cluster, one.namespace, one.kind, one.name].join("/"), one]))
  const seen = new Map<string, number>(clusters.map(({ hoursCovered, name }) => [name, hoursCovered]))
  return aggregatedWorkloads
    .map((row): SavingsRow => {
      const hours = seen.get(row.cluster) ?? 0
      const aMonth = (amount: number) => (hours === 0 ? undefined : (amount / hours) * MONTH_HOURS)
      const workload = byId.get(row.id)
      return {
        row,
        monthly: row.recommendationDays > 0 ? aMonth(row.savingsAvailable) : undefined,
        monthlyCost: aMonth(row.totalCost),
        requests: workload === undefined ? undefined : requestsOf(workload),
        labels: workload?.labels,
        isUnused: isUnused(row)
      }
    })
    .toSorted((a, b) => (b.monthly ?? -1) - (a.monthly ?? -1) || b.row.totalCost - a.row.totalCost)
}

export const sumOf = (rows: ReadonlyArray<SavingsRow>, of: (row: SavingsRow) => number | undefined): number =>
  rows.reduce((sum, row) => sum + (of(row) ?? 0), 0)

/** Rows by the size of their savings. **Shape** `none` has nothing to save; `unknown` has no recommendation yet. */
export interface Ranked {
  readonly large: ReadonlyArray<SavingsRow>
  readonly small: ReadonlyArray<SavingsRow>
  readonly none: ReadonlyArray<SavingsRow>
  readonly unknown: ReadonlyArray<SavingsRow>
}

/** Separates large savings from small ones, from none, and from those that are not known yet. */
export const ranked = (rows: ReadonlyArray<SavingsRow>): Ranked => {
  const least = SMALL * sumOf(rows, ({ monthly }) => monthly)
  const some = rows.filter(({ monthly }) => monthly !== undefined && monthly > 0)
  return {
    large: some.filter(({ monthly }) => (monthly ?? 0) >= least),
    small: some.filter(({ monthly }) => (monthly ?? 0) < least),
    none: rows.filter(({ monthly }) => monthly === 0),
    unknown: rows.filter(({ monthly }) => monthly === undefined)
  }
}

/** Groups of rows that share a cluster, a namespace or a label. */
export const GROUPINGS = [
  ["", "Nothing"],
  ["namespace", "Namespace"],
  ["cluster", "Cluster"],
  ["label", "Team label"]
] as const
export type Grouping = (typeof GROUPINGS)[number][0]

export interface Section {
  readonly name: string
  readonly rows: ReadonlyArray<SavingsRow>
}

/** Groups rows. **Shape** the group with the largest savings first; one group without a name if nothing is grouped. */
export const sectionsOf = (rows: ReadonlyArray<SavingsRow>, by: Grouping, labelKey: string): ReadonlyArray<Section> => {
  if (by === "") return [{ name: "", rows }]
  const nameOf = ({ labels, row }: SavingsRow): string =>
    by === "label" ? (labels?.[labelKey] ?? `Without ${labelKey}`) : row[by]
  const found = new Map<string, Array<SavingsRow>>()
  for (const row of rows) {
    const known = found.get(nameOf(row))
    if (known === undefined) found.set(nameOf(row), [row])
    else known.push(row)
  }
  const savings = (section: Section) => sumOf(section.rows, ({ monthly }) => monthly)
  return [...found].map(([name, some]) => ({ name, rows: some })).toSorted((a, b) => savings(b) - savings(a))
}

/** Returns true if a period is long enough to find unused workloads. */
export const coversWeek = ({ window }: Pick<WorkloadCosts, "window">): boolean =>
  Date.parse(window.end) - Date.parse(window.start) >= WEEK_HOURS * 3_600_000
