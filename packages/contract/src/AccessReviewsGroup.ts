/**
 * Reviews of access: what the caller's key may do.
 */
import { verbs } from "@quarterdeck/keys/Access"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { NamespaceName } from "@quarterdeck/targeting/NamespaceFilter"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"

/** Resources that a review can name. */
export const ReviewedResource = Schema.Literals([
  "clusters",
  "namespaces",
  "workloads",
  "pods",
  "events",
  "logs",
  "cost",
  "prices",
  "apiKeys",
  "audit",
  "overview"
])
export type ReviewedResource = typeof ReviewedResource.Type

export const ReviewedVerb = Schema.Literals(verbs)

/**
 * The call to review.
 *
 * **Shape** without `cluster` the review assumes a call without a target. Without `namespace` it assumes a call that names no
 * namespace.
 */
export const AccessReviewRequest = Schema.Struct({
  resource: ReviewedResource,
  verb: ReviewedVerb,
  cluster: Schema.optionalKey(ClusterName).annotateKey({
    description: "Cluster that the call would name. Absent: the call names no cluster."
  }),
  namespace: Schema.optionalKey(NamespaceName).annotateKey({
    description: "Namespace that the call would name. Absent: the call names no namespace."
  })
}).annotate({ identifier: "AccessReviewRequest" })
export type AccessReviewRequest = typeof AccessReviewRequest.Type

/**
 * The verdict of a review.
 *
 * **Shape** `code` is the problem code of the refusal, or `unsupported` if the API has no such call.
 */
export const AccessReview = Schema.Struct({
  allowed: Schema.Boolean,
  code: Schema.optionalKey(Schema.String).annotateKey({
    description:
      "Problem code of the refusal, or `unsupported` if the API has no such call. Absent if the call is allowed."
  })
}).annotate({ identifier: "AccessReview" })
export type AccessReview = typeof AccessReview.Type

export class AccessReviewsGroup extends HttpApiGroup.make("accessReviews")
  .add(
    HttpApiEndpoint.post("create", "/accessReviews", {
      payload: AccessReviewRequest,
      success: AccessReview,
      error: Problem.ofBody
    })
      .annotate(EndpointPolicy, { resource: "ownKey", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Can I",
          description:
            "Evaluates whether a call with the caller's key would be authorized, without running it. A refusal has the problem code that the call would get. A call that the API does not have is `unsupported`."
        })
      )
  )
  .annotate(OpenApi.Description, "Reviews of what the caller's key may do.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
