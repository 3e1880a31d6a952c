/**
 * What the audit keeps of a decision: who asked for what, where, and what became of it.
 */
import { Schema } from "effect"
import { Timestamp } from "./ApiKey.ts"

/**
 * Who made a call, also by a key that has ended, which is refused.
 *
 * **Shape** `session`: a signed-in browser, by its key; `anonymous`: nobody was known.
 */
const Actor = Schema.Struct({
  kind: Schema.Literals(["key", "session", "anonymous"]),
  keyId: Schema.optionalKey(Schema.String),
  name: Schema.optionalKey(Schema.String),
  subject: Schema.optionalKey(Schema.String)
})

/**
 * What a call was about.
 *
 * **Shape** `asked` is the target as the caller named it, joined by `|`, `*` for all, empty for none; `clusters` are those
 * that it was resolved to; `namespaces` those that were named; `object` the id of a key, or what else the path names. `descendants`: how many keys were revoked with
 * the one that the path names.
 */
const AuditTarget = Schema.Struct({
  asked: Schema.String,
  clusters: Schema.Array(Schema.String),
  namespaces: Schema.optionalKey(Schema.Array(Schema.String)),
  object: Schema.optionalKey(Schema.String),
  descendants: Schema.optionalKey(Schema.Int)
})

export const AuditDecision = Schema.Literals(["allow", "deny"])
export type AuditDecision = typeof AuditDecision.Type

const facts = {
  at: Timestamp,
  actor: Actor,
  via: Schema.Literals(["rest", "mcp", "page"]),
  address: Schema.String,
  resource: Schema.String,
  verb: Schema.Literals(["read", "create", "operate", "delete"]),
  route: Schema.String,
  target: AuditTarget,
  decision: AuditDecision,
  status: Schema.Int,
  code: Schema.optionalKey(Schema.String),
  requestId: Schema.String,
  count: Schema.optionalKey(Schema.Int)
}

/**
 * An event before it is in the chain.
 *
 * **Shape** `status` 0: a mutation that is about to be done. `count`: so many alike, of which this is the last.
 */
export const AuditFacts = Schema.Struct(facts)
export type AuditFacts = typeof AuditFacts.Type

/** An event as it is read. **Shape** `id` is its number; each `previousHash` is the `hash` of the event before. */
export const AuditEvent = Schema.Struct({
  id: Schema.String,
  ...facts,
  hash: Schema.String,
  previousHash: Schema.String
}).annotate({ identifier: "AuditEvent" })
export type AuditEvent = typeof AuditEvent.Type
