/**
 * Texts of audit events.
 */
import type { AuditEvent } from "../api/AuditTail.ts"

/** Prints the caller's name, or its id if it has no name. */
export const caller = ({ actor: { keyId, kind, name, subject } }: AuditEvent): string =>
  kind === "anonymous" ? "not signed in" : (name ?? subject ?? keyId ?? kind)

/** Prints the status and the code of a refusal. The first event of a change has no status yet. */
export const outcome = ({ code, status }: AuditEvent): string => {
  if (status === 0) return "started"
  if (status === 499) return "client disconnected"
  return code === undefined ? String(status) : `${status} ${code}`
}

/** Color of the dot before an event: red for a refusal, yellow for a failure, gray for a start, teal for success. */
export const color = ({ decision, status }: AuditEvent): "red" | "yellow" | "gray" | "teal" => {
  if (decision === "deny") return "red"
  if (status === 0) return "gray"
  return status >= 400 ? "yellow" : "teal"
}
