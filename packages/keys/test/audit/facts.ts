/** Events for tests of the audit. */
import { DateTime } from "effect"
import type { AuditFacts } from "../../src/AuditEvent.ts"

export const factsAt = (ms: number, fields: Partial<AuditFacts> = {}): AuditFacts => ({
  at: DateTime.makeUnsafe(ms),
  actor: { kind: "key", keyId: "key_1", name: "ci" },
  via: "rest",
  address: "192.0.2.1",
  resource: "apiKeys",
  verb: "create",
  route: "/api/v1/apiKeys",
  target: { asked: "", clusters: [] },
  decision: "allow",
  status: 201,
  requestId: `r-${ms}`,
  ...fields
})
