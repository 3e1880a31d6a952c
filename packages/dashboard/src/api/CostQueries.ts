/**
 * Queries of cost reports.
 */
import { queryOptions } from "@tanstack/react-query"
import * as ClusterTarget from "./ClusterTarget.ts"
import { call } from "./Client.ts"

type Target = ClusterTarget.ClusterTarget

/** A duration that ends now, or two instants. **Units** milliseconds since the epoch. */
export type CostWindow = { readonly range: string } | { readonly fromMs: number; readonly toMs: number }

export const windowParameters = (window: CostWindow) =>
  "range" in window ? window : { from: String(window.fromMs), to: String(window.toMs) }

/** Parameters of a cost report, in addition to clusters and time. */
export interface CostParameters {
  readonly groupBy: ReadonlyArray<string>
  readonly stepSize?: "hour" | "day" | "week"
  readonly idle?: "hide" | "show" | "share"
  readonly namespaces?: ReadonlyArray<string>
  readonly workloadTypes?: ReadonlyArray<string>
  readonly labelSelector?: string
  /** True to read the figures of the window before too. */
  readonly compare?: boolean
}

/** The server updates costs once a minute. */
const REREAD_MS = 60_000

const readGroups = (
  target: Target,
  window: CostWindow,
  parameters: CostParameters,
  limit: number,
  signal: AbortSignal,
  cursor?: string
) =>
  call(
    (api) =>
      api.cost.getAggregated({
        headers: ClusterTarget.headersOf(target),
        query: { ...windowParameters(window), limit, ...(cursor === undefined ? {} : { cursor }) },
        payload: parameters
      }),
    signal
  )

export type CostReport = Awaited<ReturnType<typeof readGroups>>
export type CostGroups = Extract<CostReport, { readonly rows: unknown }>
export type CostSteps = Extract<CostReport, { readonly buckets: unknown }>
export type CostGroup = CostGroups["rows"][number]
export type CostBucket = CostSteps["buckets"][number]
export type CostTotals = CostReport["totals"]

/** Groups of costs, the most expensive first. */
export const costGroupsQuery = (target: Target, window: CostWindow, parameters: CostParameters, limit: number) =>
  queryOptions({
    queryKey: ["costGroups", ClusterTarget.keyOf(target), window, parameters, limit],
    queryFn: async ({ signal }): Promise<CostGroups> =>
      groupsOf(await readGroups(target, window, parameters, limit, signal)),
    refetchInterval: REREAD_MS
  })

/** Maximum groups of a page, and maximum pages of a report that is read whole. */
const MAX_PAGE = 5_000
const MAX_PAGES = 20

/** Reads the groups of all pages. **Shape** `nextCursor` stays if there are more than 100,000. */
export const readAllGroups = async (
  target: Target,
  window: CostWindow,
  parameters: CostParameters
): Promise<CostGroups> => {
  const { signal } = new AbortController()
  const first = groupsOf(await readGroups(target, window, parameters, MAX_PAGE, signal))
  let { nextCursor } = first
  const rows = [...first.rows]
  for (let page = 1; page < MAX_PAGES && nextCursor !== undefined; page++) {
    const more = groupsOf(await readGroups(target, window, parameters, MAX_PAGE, signal, nextCursor))
    rows.push(...more.rows)
    nextCursor = more.nextCursor
  }
  const { nextCursor: _, ...report } = first
  return { ...report, rows, ...(nextCursor === undefined ? {} : { nextCursor }) }
}

const groupsOf = (report: CostReport): CostGroups => ("rows" in report ? report : { ...report, rows: [] })

/** Groups of costs by time step. */
export const costStepsQuery = (
  target: Target,
  window: CostWindow,
  parameters: CostParameters & Required<Pick<CostParameters, "stepSize">>,
  limit: number
) =>
  queryOptions({
    queryKey: ["costSteps", ClusterTarget.keyOf(target), window, parameters, limit],
    queryFn: async ({ signal }): Promise<CostSteps> => {
      const report = await readGroups(target, window, parameters, limit, signal)
      return "buckets" in report ? report : { ...report, buckets: [] }
    },
    refetchInterval: REREAD_MS
  })

const readWorkloads = (target: Target, window: CostWindow, limit: number, signal: AbortSignal) =>
  call(
    (api) =>
      api.cost.getWorkloads({
        headers: ClusterTarget.headersOf(target),
        query: { ...windowParameters(window), limit },
        payload: {}
      }),
    signal
  )

export type WorkloadCosts = Awaited<ReturnType<typeof readWorkloads>>
export type WorkloadCost = WorkloadCosts["aggregatedWorkloads"][number]

/** The most expensive workloads. */
export const workloadCostsQuery = (target: Target, window: CostWindow, limit: number) =>
  queryOptions({
    queryKey: ["workloadCosts", ClusterTarget.keyOf(target), window, limit],
    queryFn: ({ signal }) => readWorkloads(target, window, limit, signal),
    refetchInterval: REREAD_MS
  })

const readExplanation = (cluster: WorkloadCost["cluster"], id: string, window: CostWindow, signal: AbortSignal) =>
  call((api) => api.cost.explain({ query: { cluster, id, ...windowParameters(window) } }), signal)

export type Explanation = Awaited<ReturnType<typeof readExplanation>>
export type ExplainedStep = Explanation["hours"][number]

/** The explanation of a workload's cost. */
export const explanationQuery = (cluster: WorkloadCost["cluster"], id: string, window: CostWindow) =>
  queryOptions({
    queryKey: ["costExplanation", cluster, id, window],
    queryFn: ({ signal }) => readExplanation(cluster, id, window, signal),
    refetchInterval: REREAD_MS
  })

/** Maximum workloads whose present requests are read: the largest page. */
const MAX_PRESENT = 5_000

const readPresent = (target: Target, signal: AbortSignal) =>
  call((api) => api.workloads.list({ headers: ClusterTarget.headersOf(target), query: { limit: MAX_PRESENT } }), signal)

export type PresentWorkload = Awaited<ReturnType<typeof readPresent>>["workloads"][number]

/** The workloads that exist now, for their present requests and labels. */
export const presentWorkloadsQuery = (target: Target) =>
  queryOptions({
    queryKey: ["presentWorkloads", ClusterTarget.keyOf(target)],
    queryFn: ({ signal }) => readPresent(target, signal),
    refetchInterval: REREAD_MS
  })

/** Returns true if a rule may see idle costs. A rule with a namespace scope may not. */
export const seesIdle = ({ targetNamespaces }: { readonly targetNamespaces?: unknown }): boolean =>
  targetNamespaces === undefined
