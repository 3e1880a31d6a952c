/**
 * An audit event: the caller, the call, its target and its outcome.
 */
import { Schema } from "effect"
import { Timestamp } from "./ApiKey.ts"

/**
 * The caller. A call with an expired or revoked key names that key.
 *
 * **Shape** `session`: a signed-in browser. `anonymous`: no caller was identified. `subject`: the provider's identifier of a
 * signed-in person.
 */
const Actor = Schema.Struct({
  kind: Schema.Literals(["key", "session", "anonymous"]),
  keyId: Schema.optionalKey(Schema.String),
  name: Schema.optionalKey(Schema.String),
  subject: Schema.optionalKey(Schema.String)
})

/**
 * Target of a call.
 *
 * **Shape** `asked`: the clusters that the caller named, joined by `|`; `*` for all, empty for none. `clusters`: the clusters
 * that `asked` was resolved to. `namespaces`: the namespaces that the call named. `object`: the key id or other object that
 * the path names. `descendants`: number of keys that were revoked together with that key.
 */
const AuditTarget = Schema.Struct({
  asked: Schema.String,
  clusters: Schema.Array(Schema.String),
  namespaces: Schema.optionalKey(Schema.Array(Schema.String)),
  object: Schema.optionalKey(Schema.String),
  descendants: Schema.optionalKey(Schema.Int)
})

/**
 * The changed fields of an object, before or after a change. An API key has its name and the members of its rule.
 *
 * **Shape** `isTruncated` is true if fields were left out to keep the state within {@link MAX_STATE_BYTES}.
 */
export const AuditState = Schema.JsonObject.annotate({ identifier: "AuditState" })
export type AuditState = typeof AuditState.Type

/** Maximum size of a state as JSON. **Units** bytes. */
export const MAX_STATE_BYTES = 4_096

/** Keeps the first fields that fit into {@link MAX_STATE_BYTES}. */
export const fittingState = (state: AuditState): AuditState => {
  if (bytesOf(state) <= MAX_STATE_BYTES) return state
  let fitting: AuditState = { isTruncated: true }
  for (const [name, value] of Object.entries(state)) {
    const longer = { ...fitting, [name]: value }
    if (bytesOf(longer) <= MAX_STATE_BYTES) fitting = longer
  }
  return fitting
}

const encoder = new TextEncoder()
const bytesOf = (state: AuditState): number => encoder.encode(JSON.stringify(state)).length

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
  count: Schema.optionalKey(Schema.Int),
  before: Schema.optionalKey(AuditState),
  after: Schema.optionalKey(AuditState)
}

/**
 * An event that is not in the chain yet.
 *
 * **Shape** `status` is 0 for a mutation that is about to run. `count` is the number of similar events that this event
 * represents; all other fields are those of the last similar event. `before` and `after` are set in the outcome of an
 * action on one workload, and of a change of an API key.
 */
export const AuditFacts = Schema.Struct(facts)
export type AuditFacts = typeof AuditFacts.Type

/** An event of the chain. **Shape** `id`: its number in the chain. `previousHash`: the `hash` of the preceding event. */
export const AuditEvent = Schema.Struct({
  id: Schema.String,
  ...facts,
  hash: Schema.String,
  previousHash: Schema.String
}).annotate({ identifier: "AuditEvent" })
export type AuditEvent = typeof AuditEvent.Type
