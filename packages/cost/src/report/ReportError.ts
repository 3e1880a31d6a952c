/**
 * Why a report of costs was refused.
 */
import { HistoryName } from "@quarterdeck/targeting/HistoryName"
import { Schema } from "effect"

/** Names the field of a question that is wrong (HTTP 400). */
export class InvalidCostQuery extends Schema.TaggedError<InvalidCostQuery>()("InvalidCostQuery", {
  /** Such as `workloadTypes[1]`; empty for the body as a whole. */
  field: Schema.String,
  problem: Schema.String
}) {
  override get message(): string {
    return this.field === "" ? this.problem : `${this.field}: ${this.problem}`
  }
}

/** A key with a namespace scope asked for idle costs, which would tell what others use (HTTP 403, field `idle`). */
export class IdleForbidden extends Schema.TaggedError<IdleForbidden>()("IdleForbidden", {}) {
  readonly field = "idle"
  override get message(): string {
    return "idle: a key that reaches some namespaces only is not told what the cluster has idle"
  }
}

/** No such workload had any cost, or any hour, in the window (HTTP 404). */
export class CostRowNotFound extends Schema.TaggedError<CostRowNotFound>()("CostRowNotFound", {
  cluster: HistoryName,
  id: Schema.String
}) {
  override get message(): string {
    return `id: nothing is known of ${this.id} in this window`
  }
}
