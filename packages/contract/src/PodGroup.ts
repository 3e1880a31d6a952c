/**
 * One pod of one cluster: what its containers have written.
 */
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { NamespaceName } from "@quarterdeck/targeting/NamespaceFilter"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { countUpTo, NamePart, ObjectName } from "./ListParameters.ts"
import { EndpointPolicy } from "./Policy.ts"
import * as Problem from "./Problem.ts"
import { targetHeader } from "./ClusterHeaderSchema.ts"

/** How many lines are given unless another number is asked for, and at most. */
export const DEFAULT_TAIL_LINES = 500
export const MAX_TAIL_LINES = 10_000
const MAX_SINCE_SECONDS = 31_536_000

/** Says `true` in a reply whose log was longer than what is given of one. */
export const TRUNCATED_HEADER = "X-Quarterdeck-Truncated"

/** What the last line of a log that is followed begins with; the code of why it ended follows, and what that means. */
export const LOG_END = "quarterdeck: the log ends here: "

const flag = (description: string) =>
  Schema.optionalKey(Schema.Literals(["true", "false"])).annotateKey({ description, default: "false" })

/** What names a pod in a path. */
const podPath = {
  cluster: ClusterName.annotateKey({ description: "The cluster's name." }),
  namespace: NamespaceName.annotateKey({ description: "The namespace's name." }),
  name: ObjectName.annotateKey({ description: "The pod's name." })
}

const logParameters = {
  container: Schema.optionalKey(NamePart).annotateKey({
    description: "The container; needed where the pod has several. Init containers and ephemeral ones can be named too."
  }),
  follow: flag(
    "Whether the reply goes on with what the container writes from now on: for an hour at most. Its last line says why it ended."
  ),
  previous: flag("Whether to read what the container wrote before it was last restarted."),
  timestamps: flag("Whether each line begins with its time, in RFC 3339."),
  sinceSeconds: Schema.optionalKey(
    countUpTo(MAX_SINCE_SECONDS, { description: "Only lines of the last so many seconds." })
  ),
  tailLines: Schema.optionalKey(
    countUpTo(MAX_TAIL_LINES, { description: "The newest lines, so many of them.", default: DEFAULT_TAIL_LINES })
  )
}

const LOG = Schema.String.annotate({ description: "Lines as the container wrote them." }).pipe(
  HttpApiSchema.asText({ contentType: "text/plain" })
)

export class PodGroup extends HttpApiGroup.make("pod")
  .add(
    HttpApiEndpoint.get("logs", "/pods/:cluster/:namespace/:name/logs", {
      params: podPath,
      headers: targetHeader,
      query: logParameters,
      success: LOG,
      error: [...Problem.ofAction]
    })
      .annotate(EndpointPolicy, { resource: "podLogs", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "Read the log of a pod",
          description: `For Operators and Admins. 1 MiB at most, the newest part, from the beginning of a line on: \`${TRUNCATED_HEADER}: true\` says that there was more; with \`follow\` as much as there is. The path names the cluster; a cluster header that names anything else is refused.`
        })
      )
  )
  .annotate(OpenApi.Description, "One pod of one cluster.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
