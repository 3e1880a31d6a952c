/**
 * The audit log: each request with its caller and the decision on it.
 */
import { verbs } from "@quarterdeck/keys/Access"
import { AuditDecision, AuditEvent } from "@quarterdeck/keys/AuditEvent"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { documents, RFC3339 } from "./DocumentedText.ts"
import { addMediaType } from "./FileReply.ts"
import { CallerId, pageParameters, textUpTo } from "./ListParameters.ts"
import { EndpointPolicy } from "./Policy.ts"

export const AuditList = Schema.Struct({
  events: Schema.Array(AuditEvent),
  nextCursor: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "AuditList" })
export type AuditList = typeof AuditList.Type

/**
 * Resources of audit events that no route's policy names.
 *
 * **Shape** `mcp`: the MCP route. `session`: signing in and out. `unknown`: `/metrics`, and paths without a route.
 */
export const unroutedResources = ["mcp", "session", "unknown"] as const
export type UnroutedResource = (typeof unroutedResources)[number]

/** Resource of an audit event: a route's resource or one of {@link unroutedResources}. */
export const AuditedResource = Schema.Literals([
  "apiKeys",
  "audit",
  "clusters",
  "cost",
  "events",
  "namespaces",
  "overview",
  "ownKey",
  "podLogs",
  "pods",
  "prices",
  "workloads",
  ...unroutedResources
])
export type AuditedResource = typeof AuditedResource.Type

/** Media type of an export: one JSON object per line. */
export const NDJSON_MEDIA_TYPE = "application/x-ndjson"

const instant = (description: string) =>
  Schema.optionalKey(textUpTo(64).check(documents({ pattern: `^${RFC3339}$` }))).annotateKey({ description })

/** Maximum length of a searched object: a namespace, a slash and a name. **Units** characters. */
const MAX_OBJECT = 317

/** Filters of the audit log. An absent filter matches every event. */
export const AuditQuery = Schema.Struct({
  since: instant(
    "Only events at or after this instant, RFC 3339 in UTC. The list starts at the first such event of the hash chain. A later event of the chain that counts several similar requests can have an older instant."
  ),
  until: instant(
    "Only events before this instant, RFC 3339 in UTC. The list ends before the first event of this instant in the hash chain. If one query's `until` is the next query's `since`, each event is in exactly one of them."
  ),
  keyId: Schema.optionalKey(CallerId).annotateKey({
    description: "Only events of the key or person with this id."
  }),
  decision: Schema.optionalKey(AuditDecision).annotateKey({ description: "Only events with this decision." }),
  resource: Schema.optionalKey(AuditedResource).annotateKey({ description: "Only events on this resource." }),
  verb: Schema.optionalKey(Schema.Literals(verbs)).annotateKey({ description: "Only events with this verb." }),
  cluster: Schema.optionalKey(ClusterName).annotateKey({
    description: "Only events whose target names this cluster or was resolved to it."
  }),
  actor: Schema.optionalKey(CallerId).annotateKey({
    description: "Only events whose caller has this part in its name or id. ASCII letters match in either case."
  }),
  object: Schema.optionalKey(textUpTo(MAX_OBJECT)).annotateKey({
    description:
      "Only events whose object has this part in its name, as `web`, `shop/web` or `Deployment/web`, or in the name or id of a key. ASCII letters match in either case."
  }),
  limit: pageParameters.limit,
  cursor: pageParameters.cursor,
  format: Schema.optionalKey(Schema.Literals(["json", "ndjson"])).annotateKey({
    description: "`ndjson` returns every matching event as one line of JSON, without pages.",
    default: "json"
  })
})
export type AuditQuery = typeof AuditQuery.Type

export class AuditGroup extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("list", "/audit", {
      query: AuditQuery.fields,
      success: AuditList
    })
      .annotate(EndpointPolicy, { resource: "audit", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "List audit events",
          description:
            "Lists the newest events first. A page reads a bounded part of the audit log: it may hold fewer events than `limit`, or none, and still have a `nextCursor`. An Admin without a scope sees every event. Any other Admin sees events whose clusters, namespaces and keys all lie inside its own rule.",
          transform: (operation) =>
            addMediaType(operation, NDJSON_MEDIA_TYPE, {
              description: "One event as JSON on each line: every event that matches."
            })
        })
      )
  )
  .annotate(OpenApi.Description, "The audit log: each request with its caller and the decision on it.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
