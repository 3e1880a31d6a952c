/**
 * The audit: who asked for what, and what was decided.
 */
import { verbs } from "@quarterdeck/keys/Access"
import { AuditDecision, AuditEvent } from "@quarterdeck/keys/AuditEvent"
import { ClusterName } from "@quarterdeck/targeting/ClusterName"
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Authorization } from "./Authorization.ts"
import { documents, RFC3339 } from "./DocumentedText.ts"
import { CallerId, pageParameters, textUpTo } from "./ListParameters.ts"
import { EndpointPolicy } from "./Policy.ts"

export const AuditList = Schema.Struct({
  events: Schema.Array(AuditEvent),
  nextCursor: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "AuditList" })
export type AuditList = typeof AuditList.Type

/**
 * What events are about that no route's policy names.
 *
 * **Shape** `mcp`: that route itself; `session`: signing in and out; `unknown`: `/metrics`, and a path that no route has.
 */
export const unroutedResources = ["mcp", "session", "unknown"] as const
export type UnroutedResource = (typeof unroutedResources)[number]

/** What an event is about: the resources of the routes, and {@link unroutedResources}. */
export const AuditedResource = Schema.Literals([
  "apiKeys",
  "audit",
  "clusters",
  "cost",
  "events",
  "namespaces",
  "ownKey",
  "podLogs",
  "pods",
  "prices",
  "workloads",
  ...unroutedResources
])
export type AuditedResource = typeof AuditedResource.Type

/** The media type of a file of events, one a line. */
export const NDJSON_MEDIA_TYPE = "application/x-ndjson"

const instant = (description: string) =>
  Schema.optionalKey(textUpTo(64).check(documents({ pattern: `^${RFC3339}$` }))).annotateKey({ description })

/** What narrows the audit. **Shape** what is absent narrows nothing. */
export const AuditQuery = Schema.Struct({
  since: instant(
    "Only events of the chain from the first one of this instant on, RFC 3339 in UTC. Folded events that were written later are among them, also with an older instant."
  ),
  until: instant(
    "Only events of the chain before the first one of this instant, RFC 3339 in UTC. Two queries that meet at an instant have each event once."
  ),
  keyId: Schema.optionalKey(CallerId).annotateKey({
    description: "Only what the key or person with this id did."
  }),
  decision: Schema.optionalKey(AuditDecision).annotateKey({ description: "Only events of this decision." }),
  resource: Schema.optionalKey(AuditedResource).annotateKey({ description: "Only events on this resource." }),
  verb: Schema.optionalKey(Schema.Literals(verbs)).annotateKey({ description: "Only events of this verb." }),
  cluster: Schema.optionalKey(ClusterName).annotateKey({
    description: "Only events whose target names this cluster, or was resolved to it."
  }),
  limit: pageParameters.limit,
  cursor: pageParameters.cursor,
  format: Schema.optionalKey(Schema.Literals(["json", "ndjson"])).annotateKey({
    description: "`ndjson` replies every event that matches as a line of JSON, without pages.",
    default: "json"
  })
})
export type AuditQuery = typeof AuditQuery.Type

const ndjson = (operation: Record<string, unknown>): Record<string, unknown> => {
  const member = (value: unknown): Record<string, unknown> =>
    typeof value === "object" && value !== null ? { ...value } : {}
  const responses = member(operation["responses"])
  const reply = member(responses["200"])
  const text = { schema: { type: "string", description: "An event as JSON on each line, every one that matches." } }
  const content = { ...member(reply["content"]), [NDJSON_MEDIA_TYPE]: text }
  return { ...operation, responses: { ...responses, "200": { ...reply, content } } }
}

export class AuditGroup extends HttpApiGroup.make("audit")
  .add(
    HttpApiEndpoint.get("list", "/audit", {
      query: AuditQuery.fields,
      success: AuditList
    })
      .annotate(EndpointPolicy, { resource: "audit", verb: "read" })
      .annotateMerge(
        OpenApi.annotations({
          summary: "List events of the audit",
          description:
            "The newest of the chain first. A page reads a bounded part of the audit: it may hold fewer events than `limit`, or none, and still have a `nextCursor`. An Admin without a scope sees all; another the events on clusters, namespaces and keys that all lie within its own rule.",
          transform: ndjson
        })
      )
  )
  .annotate(OpenApi.Description, "Who asked for what, and what was decided.")
  .middleware(Authorization)
  .prefix("/api/v1") {}
