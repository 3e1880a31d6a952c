/**
 * The pods of one, several or all clusters.
 */
import * as KindName from "@quarterdeck/cluster-fanout/KindName"
import { PodSort } from "@quarterdeck/cluster-fanout/ListQuery"
import { PodRow } from "@quarterdeck/cluster-fanout/Row"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { envelopeFields } from "./Envelope.ts"
import { NamePart, nameParameters, namespaceParameter, pageParameters, sortParameter } from "./ListParameters.ts"
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"
import { targetHeader } from "./ClusterHeaderSchema.ts"

export const PodList = Schema.Struct({ pods: Schema.Array(PodRow), ...envelopeFields }).annotate({
  identifier: "PodList"
})
export type PodList = typeof PodList.Type

/** A workload as `<Kind>/<name>`. */
export const WorkloadPath = Schema.String.check(
  Schema.isPattern(KindName.PATH, {
    expected: "a kind, which begins with a capital letter, and a name joined by a slash, such as Deployment/web"
  })
)

/** The query parameters of a list of pods. */
export const podParameters = {
  ...namespaceParameter,
  ...nameParameters,
  workload: Schema.optionalKey(WorkloadPath).annotateKey({
    description: "Pods of this workload, as `Deployment/web`; a bare pod is `Pod/` and its name."
  }),
  node: Schema.optionalKey(Schema.Array(NamePart)).annotateKey({
    description: "Pods bound to this node; several are any of them."
  }),
  status: Schema.optionalKey(Schema.Array(NamePart)).annotateKey({
    description: "Pods of this status, as `kubectl get pods` words it; several are any of them."
  }),
  ...sortParameter(PodSort),
  ...pageParameters
}

export class PodsGroup extends HttpApiGroup.make("pods")
  .add(
    HttpApiEndpoint.get("list", "/pods", {
      headers: targetHeader,
      query: podParameters,
      success: PodList,
      error: Problem.ofFanOut
    })
      .annotate(EndpointPolicy, { resource: "pods", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "List pods",
          description:
            "Merged over the addressed clusters, with one coverage entry a cluster. Status, ready containers and restarts are those of `kubectl get pods`."
        })
      )
  )
  .annotate(OpenApi.Description, "The pods of one, several or all clusters.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
