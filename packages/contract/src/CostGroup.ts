/**
 * What workloads cost: reports over one, several or all clusters, and why a row is what it is.
 */
import { AggregateBody, AggregatedCosts } from "@quarterdeck/cost/Aggregate"
import { Format, WorkloadsBody } from "@quarterdeck/cost/CostQuery"
import { WorkloadCosts } from "@quarterdeck/cost/CostRow"
import { Explanation } from "@quarterdeck/cost/Explanation"
import { HistoryName } from "@quarterdeck/targeting/HistoryName"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { describeFile } from "./FileReply.ts"
import { pageParameters, textUpTo } from "./ListParameters.ts"
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"
import { rangeParameters } from "./RangeParameters.ts"
import { historyTargetHeader } from "./ClusterHeaderSchema.ts"

/** How groups are written: FOCUS knows workloads alone. */
export const GroupFormat = Schema.Literals(["json", "csv"])
export type GroupFormat = typeof GroupFormat.Type

const page = { limit: pageParameters.limit, cursor: pageParameters.cursor }
const format = {
  description: "How the report is written; a file has every row and no pages.",
  default: "json"
} as const
const errors = [...Problem.ofFanOut, ...Problem.ofBody] as const

/** The id of a row: cluster, namespace, kind and name, joined by `/`. */
const RowId = textUpTo(1_024)

const readCost = { resource: "cost", verb: "read" } as const

export class CostGroup extends HttpApiGroup.make("cost")
  .add(
    HttpApiEndpoint.post("getWorkloads", "/detailedCostReport/getWorkloads", {
      headers: historyTargetHeader,
      query: { ...rangeParameters, ...page, format: Schema.optionalKey(Format).annotateKey(format) },
      payload: WorkloadsBody,
      success: WorkloadCosts,
      error: errors
    })
      .annotate(EndpointPolicy, readCost)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Report the costs of workloads",
          description:
            "One row a workload, the most expensive first. The body names the clusters with multiCluster; its list wins over the header. With format csv or focus every row is written as a file.",
          transform: describeFile
        })
      ),
    HttpApiEndpoint.post("getAggregated", "/detailedCostReport/getAggregated", {
      headers: historyTargetHeader,
      query: { ...rangeParameters, ...page, format: Schema.optionalKey(GroupFormat).annotateKey(format) },
      payload: AggregateBody,
      success: AggregatedCosts,
      error: errors
    })
      .annotate(EndpointPolicy, readCost)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Report costs by group",
          description:
            "Grouped by cluster, namespace, kind, workload or labels, whole or cut into steps, with or without what is idle.",
          transform: describeFile
        })
      ),
    HttpApiEndpoint.get("explain", "/api/v1/costExplanation", {
      query: {
        cluster: HistoryName.annotateKey({ description: "The cluster of the row, as the row names it." }),
        id: RowId.annotateKey({
          description: "The `id` of the row: cluster, namespace, kind and name, joined by `/`."
        }),
        ...rangeParameters
      },
      success: Explanation,
      error: Problem.ofFanOut
    })
      .annotate(EndpointPolicy, readCost)
      .annotateMerge(
        OpenApi.annotations({
          summary: "Explain the cost of a workload",
          description:
            "The row, and the hours that it is the sum of, with quantities and prices; days where the window is longer than 31. The cluster header is not read."
        })
      )
  )
  .annotate(OpenApi.Description, "What workloads cost, over one, several or all clusters, and why.")
  .middleware(Authorization) {}
