/**
 * `/detailedCostReport/getWorkloads`, `/detailedCostReport/getAggregated` and `/api/v1/costExplanation`.
 */
import { CostCsv, Focus, LabelFilter, PreviousWindow } from "@quarterdeck/cost"
import { DEFAULT_LIMIT } from "@quarterdeck/cluster-fanout/ListQuery"
import { Api } from "@quarterdeck/contract/Api"
import { AggregateBody, type AggregatedCosts } from "@quarterdeck/cost/Aggregate"
import { type CostFilter, type Format, WorkloadsBody } from "@quarterdeck/cost/CostQuery"
import { CostReport, type ExplainQuery, Retention } from "@quarterdeck/cost/CostReport"
import type { WorkloadCosts } from "@quarterdeck/cost/CostRow"
import type { Explanation } from "@quarterdeck/cost/Explanation"
import * as Range from "@quarterdeck/cost/Range"
import * as Rule from "@quarterdeck/keys/Rule"
import type { HistoryName } from "@quarterdeck/targeting/HistoryName"
import type { Target } from "@quarterdeck/targeting/Target"
import { Effect, Stream } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import * as CostFile from "../costs/CostFile.ts"
import * as CostRefusal from "../refusal/CostRefusal.ts"
import * as CostViews from "../costs/CostViews.ts"
import { refuse } from "../refusal/Refusal.ts"
import * as RequestBody from "../guard/RequestBody.ts"
import * as RequestRange from "../costs/RequestRange.ts"
import * as RetiredHistories from "../costs/RetiredHistories.ts"
import * as ResolvedRequest from "../guard/ResolvedRequest.ts"
import * as TargetResolution from "../guard/TargetResolution.ts"

/** Query parameters of a report, which is returned in pages or as a file. */
interface Parameters extends Range.RangeQuery {
  readonly format?: Format
  readonly limit?: number
  readonly cursor?: string
}

interface Services {
  readonly report: CostReport["Service"]
  readonly rangeOf: Effect.Success<typeof RequestRange.make>
  readonly viewsOf: Effect.Success<typeof CostViews.make>
  readonly retiredIn: Effect.Success<typeof RetiredHistories.make>
  readonly hourlyDays: number
}

export const CostHandlers = HttpApiBuilder.group(
  Api,
  "cost",
  Effect.fn(function* (handlers) {
    const services: Services = {
      report: yield* CostReport,
      rangeOf: yield* RequestRange.make,
      viewsOf: yield* CostViews.make,
      retiredIn: yield* RetiredHistories.make,
      hourlyDays: (yield* Retention).hourlyDays
    }
    return handlers
      .handleRaw("getWorkloads", ({ query }) => getWorkloads(services, query))
      .handleRaw("getAggregated", ({ query }) => getAggregated(services, query))
      .handle("explain", ({ query }) => explain(services, query))
  })
)

const getWorkloads = Effect.fnUntraced(function* (services: Services, query: Parameters) {
  const { report } = services
  const filter = yield* RequestBody.decode(WorkloadsBody)
  yield* judgeLabels(filter)
  const { format, limit, page, range } = yield* read(services, query)
  yield* TargetResolution.noteNamespaces(filter.namespaces)
  const { compare } = filter
  if (compare === true && format === "focus") {
    return yield* refuse("invalid_body", { detail: "compare: not allowed with format=focus", field: "compare" })
  }
  const asked = {
    ...(yield* scoped(services, { compare, range }, (retired) => TargetResolution.admitCosts(filter, retired))),
    compare,
    filter
  }
  if (format === "json") {
    return written(yield* report.getWorkloads({ ...asked, page }).pipe(Effect.catch(refuseBody)))
  }
  const { billed, clusters, currency, partial, rows, window } = yield* report
    .allWorkloads({ ...asked, limit })
    .pipe(Effect.catch(refuseBody))
  if (format === "focus") {
    const file = Focus.workloads({ currency, rows: billed })
    return CostFile.reply({ what: "focus", window, partial }, file)
  }
  const file = CostCsv.workloads({ clusters, currency, isCompared: compare, rows })
  return CostFile.reply({ what: "costs", window, partial }, file)
})

const getAggregated = Effect.fnUntraced(function* (services: Services, query: Parameters) {
  const { report } = services
  const body = yield* RequestBody.decode(AggregateBody)
  const { compare, groupBy, idle, stepSize } = body
  yield* judgeLabels(body)
  const { format, limit, page, range } = yield* read(services, query)
  yield* TargetResolution.noteNamespaces(body.namespaces)
  const asked = {
    ...(yield* scoped(services, { compare, range }, (retired) => TargetResolution.admitCosts(body, retired))),
    compare,
    filter: body,
    groupBy,
    ...(idle === undefined ? {} : { idle }),
    ...(stepSize === undefined ? {} : { stepSize })
  }
  if (format === "json") {
    return written(yield* report.getAggregated({ ...asked, page }).pipe(Effect.catch(refuseBody)))
  }
  const { currency, partial, rows, window } = yield* report.allGroups(asked).pipe(Effect.catch(refuseBody))
  const limited = Stream.take(rows, limit ?? Number.POSITIVE_INFINITY)
  const file = CostCsv.groups({ currency, groupBy, isCompared: compare, rows: limited })
  return CostFile.reply({ what: "grouped-costs", window, partial }, file)
})

const explain = Effect.fnUntraced(function* (
  services: Services,
  { cluster, id, ...times }: Range.RangeQuery & Pick<ExplainQuery, "cluster" | "id">
) {
  // Before the target is resolved: a syntax error is reported before a scope error.
  const range = yield* services.rangeOf(times)
  yield* TargetResolution.noteObject(id)
  const resolved = yield* scoped(services, { range }, (retired) => TargetResolution.admitNamed(cluster, retired))
  const asked = { ...resolved, cluster, id }
  return written(yield* services.report.explain(asked).pipe(Effect.catch(CostRefusal.fromReport("query"))))
})

const judgeLabels = (filter: CostFilter) =>
  Effect.fromResult(LabelFilter.fromFilter(filter)).pipe(Effect.catch(CostRefusal.fromReport("body")))

const read = Effect.fnUntraced(function* (
  { rangeOf }: Services,
  { cursor, format = "json", limit, ...times }: Parameters
) {
  const range = yield* rangeOf(times)
  if (format !== "json" && cursor !== undefined) {
    return yield* refuse("invalid_parameter", {
      detail: `cursor: not allowed with format=${format}, which has no pages`,
      field: "cursor"
    })
  }
  const page = { limit: limit ?? DEFAULT_LIMIT, ...(cursor === undefined ? {} : { cursor }) }
  return { format, limit, page, range }
})

/**
 * Resolves the target. Adds the namespaces that the key reaches and the current state of the clusters.
 *
 * **Shape** with `compare`, a removed cluster can be a target if it has costs in the window or in the window before.
 */
const scoped = Effect.fnUntraced(function* <E, R>(
  { hourlyDays, retiredIn, viewsOf }: Services,
  { compare = false, range }: { readonly compare?: boolean | undefined; readonly range: Range.Range },
  resolve: (retired: ReadonlyArray<HistoryName>) => Effect.Effect<Target<HistoryName>, E, R>
) {
  const { keyId, rule } = (yield* ResolvedRequest.current).principal
  const searched = compare ? PreviousWindow.extend(range, Range.hourlyFromMs(range, { hourlyDays })) : range
  const retired = yield* retiredIn(searched).pipe(Effect.catch(refuseBody))
  const target = yield* resolve([...retired.keys()])
  const namespaces = Rule.namespaceFilter(rule)
  return { cursorBinding: keyId, namespaces, range, target, view: yield* viewsOf(target, namespaces, retired) }
})

const refuseBody = CostRefusal.fromReport("body")

/** Replies without encoding by the schema, because the value already has the contract's type. */
const written = (reply: WorkloadCosts | AggregatedCosts | Explanation) => HttpServerResponse.jsonUnsafe(reply)
