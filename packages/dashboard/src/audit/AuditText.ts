/**
 * Texts of audit events.
 */
import type { AuditedResource } from "@quarterdeck/contract/AuditGroup"
import type { Verb } from "../api/AuditQueries.ts"
import type { AuditEvent } from "../api/AuditTail.ts"
import * as Quantity from "../format/Quantity.ts"

const VERBS: Readonly<Record<Verb, string>> = { read: "Read", create: "Create", operate: "Change", delete: "Delete" }

const NOUNS: Readonly<Record<AuditedResource, readonly [one: string, many: string]>> = {
  apiKeys: ["API key", "API keys"],
  audit: ["audit log", "audit log"],
  clusters: ["cluster", "clusters"],
  cost: ["costs", "costs"],
  events: ["event", "events"],
  namespaces: ["namespace", "namespaces"],
  ownKey: ["own key", "own key"],
  podLogs: ["pod log", "pod logs"],
  pods: ["pod", "pods"],
  prices: ["prices", "prices"],
  workloads: ["workload", "workloads"],
  mcp: ["MCP endpoint", "MCP endpoint"],
  session: ["session", "session"],
  unknown: ["unknown route", "unknown route"]
}

const isKnown = (resource: string): resource is AuditedResource => Object.hasOwn(NOUNS, resource)

const nounOf = (resource: string, verb: Verb): string =>
  isKnown(resource) ? NOUNS[resource][verb === "read" ? 1 : 0] : resource

/** Prints the request of an event. **Example** `Create API key`, `Read workloads × 12` */
export const action = ({ count, resource, verb }: AuditEvent): string =>
  `${VERBS[verb]} ${nounOf(resource, verb)}${count === undefined || count === 1 ? "" : ` × ${Quantity.count(count)}`}`

/** Prints the caller's name, or its id if it has no name. */
export const caller = ({ actor: { keyId, kind, name, subject } }: AuditEvent): string =>
  kind === "anonymous" ? "not signed in" : (name ?? subject ?? keyId ?? kind)

/** Prints the status and the code of a refusal. The first event of a change has no status yet. */
export const outcome = ({ code, status }: AuditEvent): string => {
  if (status === 0) return "started"
  if (status === 499) return "client disconnected"
  return code === undefined ? String(status) : `${status} ${code}`
}

/** Prints the resolved clusters, or the requested ones if none were resolved, then the namespaces and the object. */
export const targetOf = ({ target }: AuditEvent): string => {
  const clusters = target.clusters.length > 0 ? target.clusters.join(", ") : target.asked.replaceAll("|", ", ")
  return [clusters, (target.namespaces ?? []).join(", "), target.object ?? ""].filter((part) => part !== "").join(" / ")
}
