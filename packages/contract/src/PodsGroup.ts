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

/** A workload, as `<Kind>/<name>`. */
export const WorkloadPath = Schema.String.check(
  Schema.isPattern(KindName.PATH, {
    expected: "a kind, which begins with a capital letter, and a name joined by a slash, such as Deployment/web"
  })
)

/** Query parameters of the pod list. */
export const podParameters = {
  ...namespaceParameter,
  ...nameParameters,
  workload: Schema.optionalKey(WorkloadPath).annotateKey({
    description:
      "Only pods of this workload, such as `Deployment/web`. `Pod/` and a name matches a pod without an owner."
  }),
  node: Schema.optionalKey(Schema.Array(NamePart)).annotateKey({
    description: "Only pods on this node. Repeat the parameter to match any of several nodes."
  }),
  status: Schema.optionalKey(Schema.Array(NamePart)).annotateKey({
    description:
      "Only pods with this status, as `kubectl get pods` prints it. Repeat the parameter to match any of several statuses."
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
            "Merges the pods of the addressed clusters, with one coverage entry for each cluster. Status, ready containers and restarts match `kubectl get pods`."
        })
      )
  )
  .annotate(OpenApi.Description, "The pods of one, several or all clusters.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
