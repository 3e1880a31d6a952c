/**
 * Endpoints that list, watch, register and remove clusters.
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
/** A credential, or a file that contains credentials. */
const secretUpTo = (maximum: number) => Schema.RedactedFromValue(textUpTo(maximum))

const Labels = Schema.Record(
  Schema.String.check(Schema.isMaxLength(317)),
  Schema.String.check(Schema.isMaxLength(63))
).check(Schema.isMaxProperties(MAX_LABELS))

/**
 * The body that registers a cluster.
 *
 * **Shape** either `name` and `kubeconfig`, or `name`, `server`, `caData` and `token` with the optional members.
 */
export const RegisterCluster = Schema.Struct({
  name: ClusterName,
  kubeconfig: Schema.optionalKey(secretUpTo(256 * 1024)).annotateKey({
    description: "Text of a kubeconfig. Its current context is used. Only `name` may be sent with it."
  }),
  server: Schema.optionalKey(textUpTo(2_048)).annotateKey({ description: "Address of the API server, `https://…`." }),
  caData: Schema.optionalKey(textUpTo(256 * 1024)).annotateKey({
    description: "Certificate authority: PEM in base64, as in a kubeconfig."
  }),
  token: Schema.optionalKey(secretUpTo(16 * 1024)).annotateKey({ description: "Bearer token for the API server." }),
  tlsServerName: Schema.optionalKey(textUpTo(253)).annotateKey({
    description: "Name in the server's certificate, if it differs from the host name."
  }),
  proxyUrl: Schema.optionalKey(textUpTo(2_048)).annotateKey({
    description: "HTTP proxy in front of the cluster. Its address must meet the same rules as `server`."
  }),
  labels: Schema.optionalKey(Labels).annotateKey({ description: "Labels of the cluster, 64 at most." })
}).annotate({ identifier: "RegisterCluster" })
export type RegisterCluster = typeof RegisterCluster.Type

/** The registered cluster as a row of the list. */
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
          description: "Lists every cluster in the key's scope with its health. The cluster header narrows the list."
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
          summary: "Watch clusters",
          description: `Sends the rows of the cluster list, then each change of a row, as server-sent events. Each row has the field \`coverage\` (whether and how the cluster answered), so the stream sends no \`coverage\` events. A difference in only \`lastSeen\`, \`ageMs\` or \`latencyMs\` is not a change. ${STREAM_NOTES}`
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
            "The server connects to the cluster first. If the cluster refuses, nothing is stored. Credentials are stored encrypted, and no reply contains them. The server refuses kubeconfigs that run programs, read files or skip certificate checks. It also refuses link-local and metadata addresses, and loopback addresses unless a setting allows them."
        })
      ),
    HttpApiEndpoint.delete("drop", "/clusters/:name", {
      params: { name: ClusterName.annotateKey({ description: "Name of the cluster." }) },
      success: HttpApiSchema.NoContent,
      error: Problem.ofRegistration
    })
      .annotate(EndpointPolicy, { resource: "clusters", verb: "delete" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Remove a cluster",
          description:
            "Removes a cluster that was registered at run time, with its credentials. Its cost history is kept. A cluster from the server's configuration is 409 `cluster_configured`."
        })
      )
  )
  .annotate(OpenApi.Description, "The clusters in a key's scope and their health; registering and removing clusters.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
