/**
 * The costs of the last days in an overview.
 */
import { COST_DAYS, type OverviewCost } from "@quarterdeck/contract/OverviewGroup"
import type { AggregatedCosts } from "@quarterdeck/cost/Aggregate"
import { CostReport, Retention } from "@quarterdeck/cost/CostReport"
import type { SeenHours } from "@quarterdeck/cost/CostRow"
import * as Range from "@quarterdeck/cost/Range"
import { dayOf, DAY_MS } from "@quarterdeck/cost/Units"
import type { Principal } from "@quarterdeck/keys/Principal"
import * as Rule from "@quarterdeck/keys/Rule"
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import * as NamespaceFilter from "@quarterdeck/targeting/NamespaceFilter"
import type { Target } from "@quarterdeck/targeting/Target"
import { Effect } from "effect"
import * as CostViews from "../costs/CostViews.ts"
import * as RetiredHistories from "../costs/RetiredHistories.ts"
import type * as CostRefusal from "../refusal/CostRefusal.ts"
import * as RecentParts from "./RecentParts.ts"

/** Costs, and whether costs of an addressed cluster are missing. */
export interface Costs {
  readonly cost: OverviewCost
  readonly partial: boolean
}

/** Retention that has the whole week before the last one. **Units** days. */
const TWO_WEEKS_DAYS = 14

/**
 * Makes the function that sums the costs that a caller may see, as the cost report without filters does.
 *
 * **Errors** those of the cost report and of {@link RecentParts}. **Limits** at most 55 s old. A rule with namespace labels
 * is evaluated each time, because labels may change.
 */
export const make = Effect.gen(function* () {
  const report = yield* CostReport
  const { retentionDays } = yield* Retention
  const viewsOf = yield* CostViews.make
  const retiredIn = yield* RetiredHistories.make
  const recent = yield* RecentParts.make<Costs, CostRefusal.ReportFailure>()

  const compute = Effect.fnUntraced(function* (
    { keyId, rule }: Principal["Service"],
    { clusters, mode }: Target,
    nowMs: number
  ) {
    const namespaces = Rule.namespaceFilter(rule)
    const sum = Effect.fnUntraced(function* (
      asked: Range.RangeQuery,
      how: { readonly stepSize?: "day"; readonly compare?: boolean; readonly retiredSinceMs?: number }
    ) {
      const { retiredSinceMs, ...options } = how
      const range = yield* Effect.fromResult(Range.parse(asked, { nowMs, retentionDays }))
      const fromMs = Math.min(range.fromMs, retiredSinceMs ?? range.fromMs)
      const retired = mode === "All" ? yield* retiredIn({ ...range, fromMs }) : new Map<HistoryName, number>()
      const target: Target<HistoryName> = { mode, clusters: [...clusters, ...retired.keys()] }
      return yield* report.getAggregated({
        range,
        target,
        namespaces,
        view: yield* viewsOf(target, namespaces, retired),
        filter: {},
        groupBy: [],
        ...options,
        page: { limit: 1 },
        cursorBinding: keyId
      })
    })
    // A shorter retention leaves days without costs at the start.
    const days = Math.min(COST_DAYS, retentionDays)
    const firstDay = dayOf(nowMs) - (days - 1) * DAY_MS
    const daily = yield* sum({ from: String(firstDay) }, { stepSize: "day" })
    // A cluster that left in the week before makes the weeks incomparable. That week begins on the day 15 days ago at the
    // earliest, where only days are stored.
    const retiredSinceMs = dayOf(nowMs - (TWO_WEEKS_DAYS + 1) * DAY_MS)
    const hasBefore = retentionDays > TWO_WEEKS_DAYS
    const last = yield* sum({ range: "7d" }, hasBefore ? { compare: true, retiredSinceMs } : {})
    const perDay = daysOf(daily, dayOf(nowMs))
    const costs: Costs = {
      cost: {
        asOf: new Date(nowMs).toISOString(),
        currency: last.currency,
        today: perDay.at(-1)?.cost ?? 0,
        last7d: last.totals.totalCost,
        previous7d: last.previous?.totals?.totalCost ?? null,
        perDay
      },
      partial: daily.partial || last.partial
    }
    return costs
  })

  return (
    principal: Principal["Service"],
    target: Target,
    timeoutMs: number
  ): Effect.Effect<Costs, CostRefusal.ReportFailure | RecentParts.PartDelayed, Principal> => {
    const { rule } = principal
    const isLabelled = NamespaceFilter.needsLabels(Rule.namespaceFilter(rule))
    const key = isLabelled ? undefined : JSON.stringify([rule, target.mode, target.clusters])
    return recent({ key, timeoutMs }, (nowMs) => compute(principal, target, nowMs))
  }
})

/** Returns the days of the overview, oldest first. Days without a step have no costs. */
const daysOf = (daily: AggregatedCosts, today: number): OverviewCost["perDay"] => {
  const buckets = "buckets" in daily ? daily.buckets : []
  const byDay = new Map(buckets.map((bucket) => [dayOf(Date.parse(bucket.start)), bucket]))
  return Array.from({ length: COST_DAYS }, (_, index) => {
    const at = today - (COST_DAYS - 1 - index) * DAY_MS
    const bucket = byDay.get(at)
    return {
      day: new Date(at).toISOString().slice(0, 10),
      cost: bucket?.rows.reduce((sum, { totalCost }) => sum + totalCost, 0) ?? 0,
      hoursCovered: bucket === undefined ? 0 : meanHours(bucket.clusters)
    }
  })
}

const meanHours = (clusters: ReadonlyArray<SeenHours>): number =>
  clusters.length === 0 ? 0 : clusters.reduce((sum, { hoursCovered }) => sum + hoursCovered, 0) / clusters.length
