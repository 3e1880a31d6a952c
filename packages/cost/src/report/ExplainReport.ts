/**
 * Explains one row of a report by its hours or days.
 */
import type { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { clusterOf, type HistoryName } from "@quarterdeck/targeting/HistoryName"
import { Effect } from "effect"
import type { ExplainQuery } from "./ReportQuery.ts"
import { type ExplainedStep, type Explanation, MAX_DAYS_BY_HOUR } from "./Explanation.ts"
import { CostRowNotFound, InvalidCostQuery } from "./ReportError.ts"
import type { Series } from "../hour/Series.ts"
import { DAY_MS, HOUR_MS, hourOf } from "../hour/Units.ts"
import * as PriceHistory from "../price/PriceHistory.ts"
import type { Window } from "../hour/Window.ts"
import * as ExplanationStep from "./ExplanationStep.ts"
import * as ReportContext from "./ReportContext.ts"
import * as WorkloadIndex from "./WorkloadIndex.ts"
import * as AllocationFilter from "./AllocationFilter.ts"
import * as ReportCoverage from "./ReportCoverage.ts"
import * as WorkloadRows from "./WorkloadRows.ts"
import * as RowFigures from "./RowFigures.ts"
import * as TimeSteps from "./TimeSteps.ts"

/** Steps that are read concurrently: the store reads the next while this one is summed. */
const READ_AHEAD = 2

/**
 * Returns the explanation of a row.
 *
 * **Limits** one read of the store per hour or day. Yields to other fibers after each.
 */
export const of = Effect.fnUntraced(function* (sources: ReportContext.Sources, query: ExplainQuery) {
  const { cluster, id } = query
  const named = parse(cluster, id)
  if (named === undefined) {
    const problem = "must be the id of a row of this cluster: cluster/namespace/kind/name"
    return yield* new InvalidCostQuery({ field: "id", problem })
  }
  const begun = yield* ReportContext.begin(sources, query, [cluster], { namespaces: [named.namespace] })
  const { currency, hourlyFromMs, range, reader, recommendations, window } = begun
  const isNamed = ({ kind, name, namespace }: Series): boolean =>
    name === named.name && namespace === named.namespace && kind === named.kind
  // This report has its own workload index. With so few series, it would otherwise replace the index that reports
  // share.
  const how = { isVisible: () => true, recommendations, namesOf: WorkloadIndex.make() }
  const rowOver = Effect.fnUntraced(function* (hours: Window) {
    const allocations = yield* Effect.scoped(
      Effect.map(reader.read(hours), (read) => AllocationFilter.to(read, isNamed))
    )
    yield* Effect.yieldNow
    return yield* WorkloadRows.join(allocations, how)
  })

  const whole = yield* rowOver(range.hours)
  const facts = { ...begun, knownSeconds: whole.allocations.knownSeconds }
  yield* ReportCoverage.requireAny(facts)
  yield* begun.refuseOutside
  const [row] = yield* RowFigures.rowsAt(whole, whole.size === 0 ? [] : [0])
  if (row === undefined) return yield* new CostRowNotFound({ cluster, id })

  const { endMs, startMs } = range.hours
  const isByDay = endMs - startMs > MAX_DAYS_BY_HOUR * DAY_MS || startMs < hourlyFromMs
  const stepSize = isByDay ? "day" : "hour"
  const openFromMs = reader.openFromMs(cluster)
  const history = yield* sources.prices.history
  const explained = Effect.fnUntraced(function* (step: Window) {
    const rows = yield* rowOver(step)
    if (rows.size === 0) return []
    const isOpen = openFromMs !== undefined && openFromMs >= step.startMs && openFromMs < step.endMs
    const when = ReportContext.printed({ startMs: step.startMs, endMs: Math.min(step.endMs, range.endMs) })
    const priceChange = priceChangeIn(history, clusterOf(cluster), step)
    return [
      ExplanationStep.stepOf(yield* WorkloadRows.total(rows), {
        ...when,
        ...(isOpen ? { open: true } : {}),
        ...(priceChange === undefined ? {} : { priceChange })
      })
    ]
  }, Effect.scoped)
  const steps: ReadonlyArray<ReadonlyArray<ExplainedStep>> = yield* Effect.forEach(
    TimeSteps.of(range.hours, stepSize),
    explained,
    { concurrency: READ_AHEAD }
  )
  const hours = steps.flat()
  const reply: Explanation = {
    row,
    stepSize,
    hours,
    window,
    currency,
    ...ReportCoverage.of(facts, [1], range)
  }
  return reply
}, Effect.scoped)

/** Returns how price changes within the hours of a step were applied. `undefined` if no price changed within an hour. */
const priceChangeIn = (
  history: PriceHistory.PriceHistory,
  cluster: ClusterName,
  step: Window
): ExplainedStep["priceChange"] => {
  const hours = PriceHistory.changesIn(history, cluster, step)
    .filter((ms) => ms !== hourOf(ms))
    .map((ms) => ({ startMs: hourOf(ms), endMs: hourOf(ms) + HOUR_MS }))
  if (hours.length === 0) return undefined
  return hours.some((hour) => PriceHistory.isRevised(history, hour)) ? "share" : "exact"
}

/** Parses a row id. **Shape** `undefined` if the id is malformed or belongs to another cluster. */
const parse = (cluster: HistoryName, id: string): Pick<Series, "namespace" | "kind" | "name"> | undefined => {
  const [of, namespace, kind, name, ...more] = id.split("/")
  if (of !== cluster || !namespace || !kind || !name || more.length > 0) return undefined
  return { namespace, kind, name }
}
