/**
 * Cost reports over one, several or all clusters, and explanations of their rows.
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

/** Formats of a report by group. FOCUS has no format for groups. */
export const GroupFormat = Schema.Literals(["json", "csv"])
export type GroupFormat = typeof GroupFormat.Type

const page = { limit: pageParameters.limit, cursor: pageParameters.cursor }
const format = {
  description: "Format of the report. A file contains every row, without pages.",
  default: "json"
} as const
const errors = [...Problem.ofFanOut, ...Problem.ofBody] as const

/** Id of a row: cluster, namespace, kind and name, joined by `/`. */
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
            "Returns one row for each workload, the most expensive first. With `multiCluster` the clusters of the body are used instead of the header. With `compare` each row has the figures of the window before. With `format` `csv` or `focus` the reply is a file with every row.",
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
            "Groups costs by cluster, namespace, kind, workload or labels, over the whole range or by time step, with or without idle costs. With `compare` each group has the figures of the window before.",
          transform: describeFile
        })
      ),
    HttpApiEndpoint.get("explain", "/api/v1/costExplanation", {
      query: {
        cluster: HistoryName.annotateKey({ description: "Cluster of the row, as the row names it." }),
        id: RowId.annotateKey({
          description: "`id` of the row: cluster, namespace, kind and name, joined by `/`."
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
            "Returns the row and the hours that add up to it, with quantities and prices. If the window is longer than 31 days, the steps are days. The cluster header is ignored."
        })
      )
  )
  .annotate(OpenApi.Description, "Cost reports over one, several or all clusters, and explanations of their rows.")
  .middleware(Authorization) {}
