/**
 * Logs of one pod.
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

/** Default and maximum number of lines. */
export const DEFAULT_TAIL_LINES = 500
export const MAX_TAIL_LINES = 10_000
const MAX_SINCE_SECONDS = 31_536_000

/** Header that is `true` if the log was longer than the reply. */
export const TRUNCATED_HEADER = "X-Quarterdeck-Truncated"

/** Prefix of the last line of a followed log. The code of the end and its meaning come after it. */
export const LOG_END = "quarterdeck: the log ends here: "

const flag = (description: string) =>
  Schema.optionalKey(Schema.Literals(["true", "false"])).annotateKey({ description, default: "false" })

/** Path parameters that name a pod. */
const podPath = {
  cluster: ClusterName.annotateKey({ description: "Name of the cluster." }),
  namespace: NamespaceName.annotateKey({ description: "Name of the namespace." }),
  name: ObjectName.annotateKey({ description: "Name of the pod." })
}

const logParameters = {
  container: Schema.optionalKey(NamePart).annotateKey({
    description:
      "Name of the container. Required if the pod has several. Init and ephemeral containers can be named too."
  }),
  follow: flag(
    "`true` keeps the reply open and sends new lines as the container writes them, for an hour at most. The last line gives the reason for the end."
  ),
  previous: flag("`true` reads the log of the container's previous run, before its last restart."),
  timestamps: flag("`true` starts each line with its time, in RFC 3339."),
  sinceSeconds: Schema.optionalKey(
    countUpTo(MAX_SINCE_SECONDS, { description: "Only lines written within this number of seconds before now." })
  ),
  tailLines: Schema.optionalKey(
    countUpTo(MAX_TAIL_LINES, {
      description: "Number of lines, counted from the end of the log.",
      default: DEFAULT_TAIL_LINES
    })
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
          description: `For Operators and Admins. Returns the newest lines, 1 MiB at most. \`${TRUNCATED_HEADER}: true\` means that older lines were left out. With \`follow\` there is no such limit. If sent, the cluster header must name the cluster of the path.`
        })
      )
  )
  .annotate(OpenApi.Description, "Logs of one pod.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
