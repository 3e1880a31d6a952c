/**
 * Whether the process lives and whether it is ready, for probes.
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { EndpointPolicy } from "./Policy.ts"

/** What readiness is made of. **Shape** no cluster is named. */
const ReadinessChecks = Schema.Struct({
  keyStore: Schema.Literals(["ok", "unavailable"]),
  costStore: Schema.Literals(["ok", "unavailable"]),
  configuredKeys: Schema.Literals(["ok", "stale"]),
  clusters: Schema.Struct({ registered: Schema.Natural, synced: Schema.Natural, waiting: Schema.Natural })
})

/** **Shape** the route is public; `checks` are for an Admin without scope alone. */
export const Readiness = Schema.Struct({
  status: Schema.Literals(["ready", "starting", "unavailable"]),
  checks: Schema.optionalKey(ReadinessChecks)
}).annotate({ identifier: "Readiness" })
export type Readiness = typeof Readiness.Type

export const NotReady = Readiness.annotate({ httpApiStatus: 503, identifier: "NotReady" })

export class HealthGroup extends HttpApiGroup.make("health")
  .annotate(OpenApi.Description, "Whether the process lives and whether it is ready, for probes.")
  .add(
    HttpApiEndpoint.get("healthz", "/healthz", {
      success: Schema.String.pipe(HttpApiSchema.asText())
    })
      .annotate(EndpointPolicy, "public")
      .annotateMerge(
        OpenApi.annotations({ summary: "Liveness", description: "Answers `ok` while the process lives." })
      ),
    HttpApiEndpoint.get("readyz", "/readyz", { success: Readiness, error: NotReady })
      .annotate(EndpointPolicy, "public")
      .annotateMerge(
        OpenApi.annotations({
          summary: "Readiness",
          description:
            "Ready once the stores answer and every cluster has synced, has refused the service or does not answer; after ten minutes, whatever clusters are missing. Everybody is told the verdict, an Admin key without scope the `checks` too; a key that is refused counts as none."
        })
      )
  ) {}
