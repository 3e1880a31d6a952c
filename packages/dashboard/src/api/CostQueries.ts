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
}

/** The server updates costs once a minute. */
const REREAD_MS = 60_000

const readGroups = (
  target: Target,
  window: CostWindow,
  parameters: CostParameters,
  limit: number,
  signal: AbortSignal
) =>
  call(
    (api) =>
      api.cost.getAggregated({
        headers: ClusterTarget.headersOf(target),
        query: { ...windowParameters(window), limit },
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
    queryFn: async ({ signal }): Promise<CostGroups> => {
      const report = await readGroups(target, window, parameters, limit, signal)
      return "rows" in report ? report : { ...report, rows: [] }
    },
    refetchInterval: REREAD_MS
  })

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

/** Returns true if a rule may see idle costs. A rule with a namespace scope may not. */
export const seesIdle = ({ targetNamespaces }: { readonly targetNamespaces?: unknown }): boolean =>
  targetNamespaces === undefined
