/**
 * What an event says, in words.
 */
import type { AuditEvent } from "../api/AuditTail.ts"
import * as Quantity from "../format/Quantity.ts"

/** Prints what was done: `create apiKeys`, `read workloads × 12`. */
export const deed = ({ count, resource, verb }: AuditEvent): string =>
  `${verb} ${resource}${count === undefined || count === 1 ? "" : ` × ${Quantity.count(count)}`}`

/** Gives who acted: by name, else by id. */
export const who = ({ actor: { keyId, kind, name, subject } }: AuditEvent): string =>
  kind === "anonymous" ? "nobody known" : (name ?? subject ?? keyId ?? kind)

/** Prints the outcome: the status, and the code of a refusal; a mutation has an event of its own before it is done. */
export const outcome = ({ code, status }: AuditEvent): string => {
  if (status === 0) return "begun"
  if (status === 499) return "the caller went away"
  return code === undefined ? String(status) : `${status} ${code}`
}

/** Prints where a call went: the clusters that it was resolved to, else those that it asked for, and what it named beside. */
export const where = ({ target }: AuditEvent): string => {
  const clusters = target.clusters.length > 0 ? target.clusters.join(", ") : target.asked.replaceAll("|", ", ")
  return [clusters, (target.namespaces ?? []).join(", "), target.object ?? ""].filter((part) => part !== "").join(" / ")
}
