/**
 * The clusters that a key reaches, and registering more of them.
 */
import { ClusterRow } from "@quarterdeck/cluster-fanout/Row"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { eventStream, lastEventId, STREAM_NOTES } from "./EventStream.ts"
import { pageParameters, sortParameter, textUpTo } from "./ListParameters.ts"
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"
import { targetHeader } from "./ClusterHeaderSchema.ts"

export const ClusterList = Schema.Struct({
  clusters: Schema.Array(ClusterRow),
  partial: Schema.Boolean,
  nextCursor: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "ClusterList" })
export type ClusterList = typeof ClusterList.Type

const MAX_LABELS = 64
/** A credential, or a whole file with some. */
const secretUpTo = (maximum: number) => Schema.RedactedFromValue(textUpTo(maximum))

const Labels = Schema.Record(
  Schema.String.check(Schema.isMaxLength(317)),
  Schema.String.check(Schema.isMaxLength(63))
).check(Schema.isMaxProperties(MAX_LABELS))

/**
 * A cluster to register.
 *
 * **Shape** either `kubeconfig` beside the name, or `server`, `caData` and `token`, which the others go with.
 */
export const RegisterCluster = Schema.Struct({
  name: ClusterName,
  kubeconfig: Schema.optionalKey(secretUpTo(256 * 1024)).annotateKey({
    description: "The text of a kubeconfig, of which the current context counts. It goes with the name alone."
  }),
  server: Schema.optionalKey(textUpTo(2_048)).annotateKey({ description: "The API server's address, `https://…`." }),
  caData: Schema.optionalKey(textUpTo(256 * 1024)).annotateKey({
    description: "The certificate authority, PEM in base64 as in a kubeconfig."
  }),
  token: Schema.optionalKey(secretUpTo(16 * 1024)).annotateKey({ description: "The bearer token to send." }),
  tlsServerName: Schema.optionalKey(textUpTo(253)).annotateKey({
    description: "The name that the server's certificate carries, where it is not the host's."
  }),
  proxyUrl: Schema.optionalKey(textUpTo(2_048)).annotateKey({
    description: "An HTTP proxy in front of the cluster, to whose address the same rules apply."
  }),
  labels: Schema.optionalKey(Labels).annotateKey({ description: "Labels that the cluster is listed with, 64 at most." })
}).annotate({ identifier: "RegisterCluster" })
export type RegisterCluster = typeof RegisterCluster.Type

/** The cluster that was registered, as lists show it. */
export const RegisteredCluster = Schema.Struct({ cluster: ClusterRow }).annotate({
  identifier: "RegisteredCluster",
  httpApiStatus: 201
})

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
      ),
    HttpApiEndpoint.get("watch", "/clusters/watch", {
      headers: { ...targetHeader, ...lastEventId },
      success: eventStream,
      error: Problem.ofFanOut
    })
      .annotate(EndpointPolicy, { resource: "clusters", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Follow clusters",
          description: `The rows that the list of clusters would hold, and each change of them, as server-sent events. A row holds its coverage, so there is no event \`coverage\`; that only \`lastSeen\`, \`ageMs\` or \`latencyMs\` differ is no change. ${STREAM_NOTES}`
        })
      ),
    HttpApiEndpoint.post("register", "/clusters", {
      payload: RegisterCluster,
      success: RegisteredCluster,
      error: [...Problem.ofRegistration, ...Problem.ofBody]
    })
      .annotate(EndpointPolicy, { resource: "clusters", verb: "create" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Register a cluster",
          description:
            "The service connects first, and keeps nothing that the cluster refuses. Credentials are encrypted where they are kept, and never told again. Programs, files, unchecked certificates, and link-local, metadata and (unless a setting allows it) loopback addresses are refused."
        })
      ),
    HttpApiEndpoint.delete("drop", "/clusters/:name", {
      params: { name: ClusterName.annotateKey({ description: "The cluster's name." }) },
      success: HttpApiSchema.NoContent,
      error: Problem.ofRegistration
    })
      .annotate(EndpointPolicy, { resource: "clusters", verb: "delete" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Drop a cluster",
          description:
            "Forgets a cluster that was registered at run time, with its credentials; its history of costs is kept. One of the service's own configuration is 409 `cluster_configured`."
        })
      )
  )
  .annotate(OpenApi.Description, "The clusters that a key reaches, their health, and which there are.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
