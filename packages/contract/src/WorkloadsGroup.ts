/**
 * The workloads of one, several or all clusters.
 */
import { WorkloadSort } from "@quarterdeck/cluster-fanout/ListQuery"
import { WorkloadRow } from "@quarterdeck/cluster-fanout/Row"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { envelopeFields } from "./Envelope.ts"
import { kindParameter, nameParameters, namespaceParameter, pageParameters, sortParameter } from "./ListParameters.ts"
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"
import { targetHeader } from "./TargetHeader.ts"

export const WorkloadList = Schema.Struct({ workloads: Schema.Array(WorkloadRow), ...envelopeFields }).annotate({
  identifier: "WorkloadList"
})
export type WorkloadList = typeof WorkloadList.Type

export class WorkloadsGroup extends HttpApiGroup.make("workloads")
  .add(
    HttpApiEndpoint.get("list", "/workloads", {
      headers: targetHeader,
      query: {
        ...namespaceParameter,
        ...kindParameter,
        ...nameParameters,
        ...sortParameter(WorkloadSort),
        ...pageParameters
      },
      success: WorkloadList,
      error: Problem.ofFanOut
    })
      .annotate(EndpointPolicy, { resource: "workloads", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "List workloads",
          description: "Merged over the addressed clusters, with one coverage entry a cluster."
        })
      )
  )
  .annotate(OpenApi.Description, "The workloads of one, several or all clusters.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
