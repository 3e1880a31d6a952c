/**
 * What the pages read of costs.
 */
import { queryOptions } from "@tanstack/react-query"
import * as ClusterTarget from "./ClusterTarget.ts"
import { call } from "./Client.ts"

type Target = ClusterTarget.ClusterTarget

/** A length that ends now, or two instants. **Units** milliseconds since the epoch. */
export type CostWindow = { readonly range: string } | { readonly fromMs: number; readonly toMs: number }

export const windowParameters = (window: CostWindow) =>
  "range" in window ? window : { from: String(window.fromMs), to: String(window.toMs) }

/** What costs are asked for, beside clusters and time. */
export interface CostQuestion {
  readonly groupBy: ReadonlyArray<string>
  readonly stepSize?: "hour" | "day" | "week"
  readonly idle?: "hide" | "show" | "share"
  readonly namespaces?: ReadonlyArray<string>
  readonly workloadTypes?: ReadonlyArray<string>
  readonly labelSelector?: string
}

/** Costs change by the minute at most. */
const REREAD_MS = 60_000

const readGroups = (target: Target, window: CostWindow, question: CostQuestion, limit: number, signal: AbortSignal) =>
  call(
    (api) =>
      api.cost.getAggregated({
        headers: ClusterTarget.headersOf(target),
        query: { ...windowParameters(window), limit },
        payload: question
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
export const costGroupsQuery = (target: Target, window: CostWindow, question: CostQuestion, limit: number) =>
  queryOptions({
    queryKey: ["costGroups", ClusterTarget.keyOf(target), window, question, limit],
    queryFn: async ({ signal }): Promise<CostGroups> => {
      const report = await readGroups(target, window, question, limit, signal)
      return "rows" in report ? report : { ...report, rows: [] }
    },
    refetchInterval: REREAD_MS
  })

/** The same, cut into steps. */
export const costStepsQuery = (
  target: Target,
  window: CostWindow,
  question: CostQuestion & Required<Pick<CostQuestion, "stepSize">>,
  limit: number
) =>
  queryOptions({
    queryKey: ["costSteps", ClusterTarget.keyOf(target), window, question, limit],
    queryFn: async ({ signal }): Promise<CostSteps> => {
      const report = await readGroups(target, window, question, limit, signal)
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

/** Why a workload cost what it did. */
export const explanationQuery = (cluster: WorkloadCost["cluster"], id: string, window: CostWindow) =>
  queryOptions({
    queryKey: ["costExplanation", cluster, id, window],
    queryFn: ({ signal }) => readExplanation(cluster, id, window, signal),
    refetchInterval: REREAD_MS
  })

/** Whether somebody may see what no workload has: a key with a namespace scope may not. */
export const seesIdle = ({ targetNamespaces }: { readonly targetNamespaces?: unknown }): boolean =>
  targetNamespaces === undefined
