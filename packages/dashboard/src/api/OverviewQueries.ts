/**
 * The query of the overview.
 */
import { queryOptions } from "@tanstack/react-query"
import * as ClusterTarget from "./ClusterTarget.ts"
import { call } from "./Client.ts"

const FRESH_EVERY_MS = 5_000

const readOverview = (target: ClusterTarget.ClusterTarget, signal: AbortSignal) =>
  call((api) => api.overview.read({ headers: ClusterTarget.headersOf(target), query: {} }), signal)

export type Overview = Awaited<ReturnType<typeof readOverview>>
export type OverviewCost = NonNullable<Overview["cost"]>
export type OverviewAccess = NonNullable<Overview["access"]>

/** Problems of the clusters of a target, their costs, and the access to them. */
export const overviewQuery = (target: ClusterTarget.ClusterTarget) =>
  queryOptions({
    queryKey: ["overview", ClusterTarget.keyOf(target)],
    queryFn: ({ signal }) => readOverview(target, signal),
    refetchInterval: FRESH_EVERY_MS
  })
