/**
 * The clusters that a key reaches.
 */
import { ClusterRow } from "@quarterdeck/cluster-fanout/Row"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { pageParameters, sortParameter } from "./ListParameters.ts"
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"
import { targetHeader } from "./TargetHeader.ts"

export const ClusterList = Schema.Struct({
  clusters: Schema.Array(ClusterRow),
  partial: Schema.Boolean,
  nextCursor: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ClusterList" })
export type ClusterList = typeof ClusterList.Type

export class ClustersGroup extends HttpApiGroup.make("clusters")
  .add(
    HttpApiEndpoint.get("list", "/clusters", {
      headers: targetHeader,
      query: {
        ...sortParameter(Schema.Literal("name")),
        ...pageParameters
      },
      success: ClusterList,
      error: Problem.ofFanOut
    })
      .annotate(EndpointPolicy, { resource: "clusters", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "List clusters",
          description: "Every cluster in the key's scope with its health; the cluster header narrows the list."
        })
      )
  )
  .annotate(OpenApi.Description, "The clusters that a key reaches, and their health.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
