/**
 * Asks what the caller's key may do, without doing it.
 */
import { verbs } from "@quarterdeck/keys/Access"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { NamespaceName } from "@quarterdeck/targeting/NamespaceFilter"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"

/** What can be asked about. */
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
  "audit"
])
export type ReviewedResource = typeof ReviewedResource.Type

export const ReviewedVerb = Schema.Literals(verbs)

/**
 * Asks whether a call would be allowed.
 *
 * **Shape** absent `cluster`: what a call without a target addresses; absent `namespace`: those in scope.
 */
export const AccessReviewRequest = Schema.Struct({
  resource: ReviewedResource,
  verb: ReviewedVerb,
  cluster: Schema.optionalKey(ClusterName).annotateKey({
    description: "The one cluster that the call would name. Absent: the call names none."
  }),
  namespace: Schema.optionalKey(NamespaceName).annotateKey({
    description: "The one namespace that the call would name. Absent: the call names none."
  })
}).annotate({ identifier: "AccessReviewRequest" })
export type AccessReviewRequest = typeof AccessReviewRequest.Type

/**
 * Tells whether the call would be allowed.
 *
 * **Shape** `code` is that of the problem that the call would be refused with; `unsupported`: there is no such call.
 */
export const AccessReview = Schema.Struct({
  allowed: Schema.Boolean,
  code: Schema.optionalKey(Schema.String).annotateKey({
    description:
      "The code of the problem that the call would be refused with, or `unsupported` where there is no such call."
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
            "Tells whether a call with the caller's key would be let through, and with which code it would be refused. Nothing is done. What the service cannot do at all, or not yet, is `unsupported`."
        })
      )
  )
  .annotate(OpenApi.Description, "What the caller's key may do.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
