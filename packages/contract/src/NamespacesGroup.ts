/**
 * The namespaces of one, several or all clusters.
 */
import { NamespaceSort } from "@quarterdeck/cluster-fanout/ListQuery"
import { NamespaceRow } from "@quarterdeck/cluster-fanout/Row"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { envelopeFields } from "./Envelope.ts"
import { nameParameters, pageParameters, sortParameter } from "./ListParameters.ts"
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"
import { targetHeader } from "./ClusterHeaderSchema.ts"

export const NamespaceList = Schema.Struct({ namespaces: Schema.Array(NamespaceRow), ...envelopeFields }).annotate({
  identifier: "NamespaceList"
})
export type NamespaceList = typeof NamespaceList.Type

export class NamespacesGroup extends HttpApiGroup.make("namespaces")
  .add(
    HttpApiEndpoint.get("list", "/namespaces", {
      headers: targetHeader,
      query: {
        ...nameParameters,
        ...sortParameter(NamespaceSort),
        ...pageParameters
      },
      success: NamespaceList,
      error: Problem.ofFanOut
    })
      .annotate(EndpointPolicy, { resource: "namespaces", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "List namespaces",
          description:
            "Lists the namespaces that the key's rule reaches, by name and by their current labels in each cluster."
        })
      )
  )
  .annotate(OpenApi.Description, "The namespaces of one, several or all clusters.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
